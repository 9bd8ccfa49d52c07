import { isIP } from 'node:net'
import { PUSH_ENDPOINT_MAX } from '@proctorpass/shared/limits'

/** Where browsers may say that they receive pushes. */
export interface PushHost {
  /** A host name, an address, or `*.suffix`. */
  name: string
  port: number
  /** Named by the operator: it may be a private address. */
  own: boolean
}

/** Of Chrome, Firefox, Safari and Edge, and of the browsers that use the same services. */
const KNOWN = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
]

const HOST = /^(\*\.)?[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*$/

/** Reads PUSH_HOSTS, which adds to the known hosts, and names every problem. */
export function pushHosts(value: string | undefined): { hosts: PushHost[]; problems: string[] } {
  const hosts: PushHost[] = KNOWN.map((name) => ({ name, port: 443, own: false }))
  const problems: string[] = []
  for (const entry of (value ?? '').split(',').map((part) => part.trim())) {
    if (entry === '') continue
    const host = hostIn(entry.toLowerCase())
    if (host !== null) hosts.push(host)
    else {
      problems.push(
        `PUSH_HOSTS has ${JSON.stringify(entry)}; each entry must be a host such as push.example.com, ` +
          '*.example.com or push.example.com:8443.',
      )
    }
  }
  return { hosts, problems }
}

function hostIn(entry: string): PushHost | null {
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

/** The entry that allows this address, the operator's own before the known ones; null: it is refused. */
export function hostOf(endpoint: string, hosts: readonly PushHost[]): PushHost | null {
  if (endpoint.length > PUSH_ENDPOINT_MAX || !/^https:\/\/[\x21-\x7e]+$/.test(endpoint)) return null
  // A slash to some readers of URLs, and not to others.
  if (endpoint.includes('\\')) return null
  const url = URL.parse(endpoint)
  if (url === null || url.username !== '' || url.password !== '' || url.hash !== '') return null
  const port = Number(url.port || 443)
  const allowing = hosts.filter((host) => host.port === port && isNamed(url.hostname, host.name))
  return allowing.find(({ own }) => own) ?? allowing[0] ?? null
}

function isNamed(hostname: string, name: string): boolean {
  if (!name.startsWith('*.')) return hostname === name
  return hostname.length >= name.length && hostname.endsWith(name.slice(1))
}
