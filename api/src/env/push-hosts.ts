import { type AllowedHost, readHosts } from '../outbound/hosts.ts'

/** Of Chrome, Firefox, Safari and Edge, and of the browsers that use the same services. */
const KNOWN = [
  'fcm.googleapis.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
]

/** Where browsers may say that they receive pushes: the known hosts, and those of PUSH_HOSTS. Names every problem. */
export function pushHosts(value: string | undefined): { hosts: AllowedHost[]; problems: string[] } {
  const known = KNOWN.map((name) => ({ name, port: 443, own: false }))
  const { hosts, problems } = readHosts('PUSH_HOSTS', value)
  return { hosts: [...known, ...hosts], problems }
}
