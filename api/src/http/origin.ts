import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { KEY_PREFIX } from '@proctorpass/shared/limits'
import type { Env } from '../env/env.ts'

/**
 * Whether an origin is our own: PUBLIC_URL's, or the origin of the request's Host, so that localhost and 127.0.0.1 both
 * work. `null` (the origin of a sandboxed frame or a file) never is.
 */
export function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (origin === publicUrl) return true
  if (host === undefined || !URL.canParse(origin)) return false
  const { protocol, host: named, origin: written } = new URL(origin)
  // Browsers send only the normalized form.
  if (origin !== written || (protocol !== 'http:' && protocol !== 'https:')) return false
  const url = `${protocol}//${host}`
  return URL.canParse(url) && new URL(url).host === named
}

/** Whether the request has two Host headers: Node uses the first one, and a proxy may have used the second. */
export function namesTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

/** Whether a request names a host that this server serves. */
export type IsOwnHost = (request: IncomingMessage) => boolean

/**
 * Prevents DNS rebinding, where a foreign page's name resolves to this server and only the Host differs. With
 * PUBLIC_URL set, its host, HOST, and the loopback names are served on any port, because a proxy may use another one.
 * Without it all hosts are served.
 */
export function createHostCheck({
  publicUrl,
  publicUrlIsSet,
  host,
}: Pick<Env, 'publicUrl' | 'publicUrlIsSet' | 'host'>): IsOwnHost {
  if (!publicUrlIsSet) return () => true
  const listening = hostnameOf(isIPv6(host) ? `[${host}]` : host)
  const own = new Set([new URL(publicUrl).hostname, 'localhost', '127.0.0.1', '[::1]', listening])
  return ({ headers }) => {
    const hostname = hostnameOf(headers.host)
    return hostname !== null && own.has(hostname)
  }
}

/**
 * Returns the normalized name in a Host header; null if it is invalid. The pattern comes first, because a URL would
 * also accept user names, paths, and escapes.
 */
function hostnameOf(host: string | undefined): string | null {
  if (host === undefined || !/^(\[[\da-f:.]+\]|[\w.-]+)(:\d*)?$/i.test(host)) return null
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : null
}

/** Whether the query contains an API key, which proxies and browsers would log there. */
export function hasKeyInQuery(url: string): boolean {
  const start = url.indexOf('?')
  // This check is enough for nearly all requests, because only such a query can contain a key.
  if (start === -1 || !/ppk_|%/.test(url.slice(start))) return false
  return [...new URLSearchParams(url.slice(start)).values()].some((value) => value.startsWith(KEY_PREFIX))
}
