import type { IncomingMessage } from 'node:http'

/**
 * Whether a page of this origin may open a socket: PUBLIC_URL's, the host the request itself names (so that
 * localhost and 127.0.0.1 both work), and none at all, which no browser sends. `null` is a sandboxed page's.
 */
export function isOwnOrigin(request: IncomingMessage, publicOrigin: string): boolean {
  const { origin, host } = request.headers
  if (origin === undefined || origin === publicOrigin) return true
  try {
    const url = new URL(origin)
    return (
      (url.protocol === 'http:' || url.protocol === 'https:') && url.origin === origin && url.host === host
    )
  } catch {
    return false
  }
}

/** How many sockets of one key are open; for limits on what one conversation or address may hold. */
export class OpenSockets {
  readonly #counts = new Map<string, number>()

  /** False, and nothing counted, when the key has as many as it may. */
  enter(key: string, max: number): boolean {
    const count = this.#counts.get(key) ?? 0
    if (count >= max) return false
    this.#counts.set(key, count + 1)
    return true
  }

  leave(key: string): void {
    const count = this.#counts.get(key) ?? 0
    if (count <= 1) this.#counts.delete(key)
    else this.#counts.set(key, count - 1)
  }
}
