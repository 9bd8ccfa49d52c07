import { type AllowedHost, PUBLIC_HOSTS, readHosts } from '../outbound/hosts.ts'

/**
 * Returns the hosts that endpoints may use: every public host over HTTPS, and the hosts in WEBHOOK_HOSTS. Names every
 * problem.
 */
export function webhookHosts(value: string | undefined): { hosts: AllowedHost[]; problems: string[] } {
  const { hosts, problems } = readHosts('WEBHOOK_HOSTS', value, { http: true })
  return { hosts: [...hosts, PUBLIC_HOSTS], problems }
}
