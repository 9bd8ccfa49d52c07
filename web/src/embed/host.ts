import { isOriginOf } from '@proctorpass/shared/site-origins'
import type { FromFrame, Hello, ToFrame } from './protocol.ts'
import { HELLO } from './protocol.ts'

/** The site's page around this frame. */
export interface Host {
  /** The page's origin as the browser reports it. The page itself cannot choose it. */
  origin: string
  hello: Hello
  send(message: FromFrame): void
  /** Messages that arrived before this call are not lost. */
  onMessage(listener: (message: ToFrame) => void): void
}

/** Resolves with the parent page's first hello, if the page belongs to the site. Everything else is ignored. */
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

/** Returns the address of one of the host's pages, from the path that the page gives. */
export function pageOf({ origin }: Host, path: unknown): string {
  const [own = ''] = String(path).split(/[?#]/)
  return origin + (own.startsWith('/') ? own : `/${own}`)
}
