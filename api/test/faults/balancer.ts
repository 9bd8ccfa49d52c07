import { TcpProxy } from '../tcp-proxy.ts'

const CHECK_EVERY_MS = 250
const READY_WITHIN_MS = 1_000

/**
 * A load balancer for several nodes: round robin over those that are ready, which it finds out as proxies do. When
 * none is ready it tries all.
 */
export async function openBalancer(
  ports: number[],
): Promise<{ port: number; origin: string; close(): void }> {
  const ready = new Set<number>()
  let next = 0

  async function checkReadiness() {
    await Promise.all(
      ports.map(async (port) => {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`, {
          signal: AbortSignal.timeout(READY_WITHIN_MS),
        }).catch(() => null)
        if (answer?.status === 200) ready.add(port)
        else ready.delete(port)
        await answer?.body?.cancel().catch(() => {})
      }),
    )
  }

  const proxy = await TcpProxy.open(() => {
    const candidates = ports.filter((port) => ready.size === 0 || ready.has(port))
    const first = next++ % candidates.length
    return [...candidates.slice(first), ...candidates.slice(0, first)]
  })
  await checkReadiness()
  const timer = setInterval(checkReadiness, CHECK_EVERY_MS)
  return {
    port: proxy.port,
    origin: proxy.origin,
    close() {
      clearInterval(timer)
      proxy.close()
    },
  }
}
