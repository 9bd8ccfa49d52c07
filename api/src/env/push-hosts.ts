import { type AllowedHost, readHosts } from '../outbound/hosts.ts'

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
export function pushHosts(value: string | undefined): { hosts: AllowedHost[]; problems: string[] } {
  const known = KNOWN.map((name) => ({ name, port: 443, own: false }))
  const { hosts, problems } = readHosts('PUSH_HOSTS', value)
  return { hosts: [...known, ...hosts], problems }
}
