import { isIP } from 'node:net'

/** A host that requests may go to. */
export interface AllowedHost {
  /** A host name, an address, or `*.suffix`. */
  name: string
  port: number
  /** Named by the operator: it may be a private address. */
  own: boolean
  /** By http; without it by https. */
  http?: true
}

/** Every public host, by https. */
export const PUBLIC_HOSTS: AllowedHost = { name: '*', port: 0, own: false }

const HOST = /^(\*\.)?[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*$/
const URL_MAX = 2_048

/** Reads the hosts that a variable of the operator lists, and names every problem. `http`: they may also be reached by it. */
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

/** Null `port`: none is named. */
function hostIn(entry: string): { name: string; port: number | null } | null {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(entry) ?? []
  const port = digits === undefined ? null : Number(digits)
  if (port !== null && (port < 1 || port > 65_535)) return null
  if (bracketed !== undefined) {
    return isIP(bracketed) === 6 ? { name: new URL(`https://[${bracketed}]`).hostname, port } : null
  }
  if (plain === undefined || plain.length > 253 || !HOST.test(plain)) return null
  // As a URL has it: numbers are addresses there.
  const name = URL.parse(`https://${plain.replace('*.', '')}`)?.hostname
  if (name === undefined || (plain.startsWith('*.') && isIP(name) !== 0)) return null
  return { name: plain.startsWith('*.') ? `*.${name}` : name, port }
}

/** The host that allows requests to this URL, the operator's own before others; null: it is refused. */
export function hostOf(url: string, hosts: readonly AllowedHost[]): AllowedHost | null {
  if (url.length > URL_MAX || !/^https?:\/\/[\x21-\x7e]+$/.test(url)) return null
  // A slash to some readers of URLs, and not to others.
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
