import { isIP } from 'node:net'

/** A host to which requests may go. */
export interface AllowedHost {
  /** A host name, an address, or `*.suffix`. */
  name: string
  port: number
  /** Whether the operator named the host, which may then be a private address. */
  own: boolean
  /** True if the host is reached by HTTP; without it, by HTTPS. */
  http?: true
}

/** Every public host, reached by HTTPS. */
export const PUBLIC_HOSTS: AllowedHost = { name: '*', port: 0, own: false }

const HOST = /^(\*\.)?[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*$/
const URL_MAX = 2_048

/**
 * Reads the hosts that an environment variable lists, and names every problem. If `http` is true, hosts may also be
 * reached by HTTP.
 */
export function readHosts(
  variable: string,
  value: string | undefined,
  { http = false } = {},
): { hosts: AllowedHost[]; problems: string[] } {
  const hosts: AllowedHost[] = []
  const problems: string[] = []
  for (const entry of (value ?? '').split(',').map((part) => part.trim())) {
    if (entry === '') continue
    const named = hostIn(entry.toLowerCase())
    if (named === null) {
      problems.push(
        `${variable} has ${JSON.stringify(entry)}; each entry must be a host such as push.example.com, ` +
          '*.example.com or push.example.com:8443.',
      )
      continue
    }
    const { name, port } = named
    hosts.push({ name, port: port ?? 443, own: true })
    if (http) hosts.push({ name, port: port ?? 80, own: true, http: true })
  }
  return { hosts, problems }
}

/** Returns a null `port` if the entry names none. */
function hostIn(entry: string): { name: string; port: number | null } | null {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(entry) ?? []
  const port = digits === undefined ? null : Number(digits)
  if (port !== null && (port < 1 || port > 65_535)) return null
  if (bracketed !== undefined) {
    return isIP(bracketed) === 6 ? { name: new URL(`https://[${bracketed}]`).hostname, port } : null
  }
  if (plain === undefined || plain.length > 253 || !HOST.test(plain)) return null
  // The URL parser normalizes the name, and turns numbers into addresses.
  const name = URL.parse(`https://${plain.replace('*.', '')}`)?.hostname
  if (name === undefined || (plain.startsWith('*.') && isIP(name) !== 0)) return null
  return { name: plain.startsWith('*.') ? `*.${name}` : name, port }
}

/**
 * Returns the host that allows requests to this URL, and prefers the operator's own hosts. Null if the URL is refused.
 */
export function hostOf(url: string, hosts: readonly AllowedHost[]): AllowedHost | null {
  if (url.length > URL_MAX || !/^https?:\/\/[\x21-\x7e]+$/.test(url)) return null
  // A backslash is a slash to some URL parsers, and not to others.
  if (url.includes('\\')) return null
  const parsed = URL.parse(url)
  if (parsed === null || parsed.username !== '' || parsed.password !== '' || parsed.hash !== '') return null
  const isHttp = parsed.protocol === 'http:'
  const port = Number(parsed.port || (isHttp ? 80 : 443))
  const allowing = hosts.filter((host) => {
    if (isHttp !== (host.http === true)) return false
    return host === PUBLIC_HOSTS || (host.port === port && isNamed(parsed.hostname, host.name))
  })
  return allowing.find(({ own }) => own) ?? allowing[0] ?? null
}

function isNamed(hostname: string, name: string): boolean {
  if (!name.startsWith('*.')) return hostname === name
  return hostname.length >= name.length && hostname.endsWith(name.slice(1))
}
