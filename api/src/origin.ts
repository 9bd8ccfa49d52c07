import type { IncomingMessage } from 'node:http'

/**
 * Whether a page of this origin is one of ours: PUBLIC_URL's, or of the host that the request itself names, so
 * that localhost and 127.0.0.1 both work. `null` (a sandboxed frame, a file) never is.
 */
export function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (origin === publicUrl) return true
  if (host === undefined || !URL.canParse(origin)) return false
  const { protocol, host: named } = new URL(origin)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  const url = `${protocol}//${host}`
  return URL.canParse(url) && new URL(url).host === named
}

/** Node takes the first and goes on; a proxy on the way may have believed the second. */
export function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}
