import { type AllowedHost, PUBLIC_HOSTS, readHosts } from '../outbound/hosts.ts'

/** The hosts and the problems of a variable that names hosts. */
type ReadHosts = { hosts: AllowedHost[]; problems: string[] }

/** The push services used by Chrome, Firefox, Safari, Edge, and the browsers built on them. */
const KNOWN = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
]

/**
 * Returns the hosts at which browsers may receive pushes: the known ones, and those in PUSH_HOSTS. Names every problem.
 */
export function pushHosts(value: string | undefined): ReadHosts {
  const known = KNOWN.map((name) => ({ name, port: 443, own: false }))
  const { hosts, problems } = readHosts('PUSH_HOSTS', value)
  return { hosts: [...known, ...hosts], problems }
}

/**
 * Returns the hosts that endpoints may use: every public host over HTTPS, and the hosts in WEBHOOK_HOSTS. Names every
 * problem.
 */
export function webhookHosts(value: string | undefined): ReadHosts {
  const { hosts, problems } = readHosts('WEBHOOK_HOSTS', value, { http: true })
  return { hosts: [...hosts, PUBLIC_HOSTS], problems }
}
