import { isOriginOf } from '@proctorpass/shared/site-origins'
import type { FromFrame, Hello, ToFrame } from './protocol.ts'
import { HELLO } from './protocol.ts'

/** The page of the site around this frame. */
export interface Host {
  /** As the browser says it, not as the page says it. */
  origin: string
  hello: Hello
  send(message: FromFrame): void
  /** Messages that came before are not lost. */
  onMessage(listener: (message: ToFrame) => void): void
}

/** Resolves with the first hello of the parent page, if that belongs to the site. Everything else is ignored. */
export function awaitHost(origins: readonly string[]): Promise<Host> {
  return new Promise((resolve) => {
    function listen({ source, origin, data, ports }: MessageEvent<Hello | null>): void {
      const [port] = ports
      if (source !== window.parent || source === window || !isOriginOf(origins, origin)) return
      if (data?.type !== HELLO || !port) return
      window.removeEventListener('message', listen)
      resolve({
        origin,
        hello: data,
        send: (message) => port.postMessage(message),
        onMessage(listener) {
          // This starts the port.
          port.onmessage = (event: MessageEvent<ToFrame>) => listener(event.data)
        },
      })
    }
    window.addEventListener('message', listen)
  })
}

/** The address of a page of the host, from the path that it gives. */
export function pageOf({ origin }: Host, path: unknown): string {
  const [own = ''] = String(path).split(/[?#]/)
  return origin + (own.startsWith('/') ? own : `/${own}`)
}
