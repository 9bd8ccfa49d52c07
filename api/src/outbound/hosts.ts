import { isIP } from 'node:net'

/** A host that requests may go to. */
export interface AllowedHost {
  /** A host name, an address, or `*.suffix`. */
  name: string
  port: number
  /** Named by the operator: it may be a private address. */
  own: boolean
}

const HOST = /^(\*\.)?[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*$/
const URL_MAX = 2_048

/** Reads the hosts that a variable of the operator lists, and names every problem. */
export function readHosts(
  variable: string,
  value: string | undefined,
): { hosts: AllowedHost[]; problems: string[] } {
  const hosts: AllowedHost[] = []
  const problems: string[] = []
  for (const entry of (value ?? '').split(',').map((part) => part.trim())) {
    if (entry === '') continue
    const host = hostIn(entry.toLowerCase())
    if (host !== null) hosts.push(host)
    else {
      problems.push(
        `${variable} has ${JSON.stringify(entry)}; each entry must be a host such as push.example.com, ` +
          '*.example.com or push.example.com:8443.',
      )
    }
  }
  return { hosts, problems }
}

function hostIn(entry: string): AllowedHost | null {
  const [, bracketed, plain, digits = '443'] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(entry) ?? []
  const port = Number(digits)
  if (port < 1 || port > 65_535) return null
  if (bracketed !== undefined) {
    return isIP(bracketed) === 6
      ? { name: new URL(`https://[${bracketed}]`).hostname, port, own: true }
      : null
  }
  if (plain === undefined || plain.length > 253 || !HOST.test(plain)) return null
  // As a URL has it: numbers are addresses there.
  const name = URL.parse(`https://${plain.replace('*.', '')}`)?.hostname
  if (name === undefined || (plain.startsWith('*.') && isIP(name) !== 0)) return null
  return { name: plain.startsWith('*.') ? `*.${name}` : name, port, own: true }
}

/** The host that allows requests to this URL, the operator's own before others; null: it is refused. */
export function hostOf(url: string, hosts: readonly AllowedHost[]): AllowedHost | null {
  if (url.length > URL_MAX || !/^https:\/\/[\x21-\x7e]+$/.test(url)) return null
  // A slash to some readers of URLs, and not to others.
  if (url.includes('\\')) return null
  const parsed = URL.parse(url)
  if (parsed === null || parsed.username !== '' || parsed.password !== '' || parsed.hash !== '') return null
  const port = Number(parsed.port || 443)
  const allowing = hosts.filter((host) => host.port === port && isNamed(parsed.hostname, host.name))
  return allowing.find(({ own }) => own) ?? allowing[0] ?? null
}

function isNamed(hostname: string, name: string): boolean {
  if (!name.startsWith('*.')) return hostname === name
  return hostname.length >= name.length && hostname.endsWith(name.slice(1))
}
