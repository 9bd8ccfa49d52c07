import { type AllowedHost, PUBLIC_HOSTS, readHosts } from '../outbound/hosts.ts'

/** Where endpoints may be: every public host by https, and the hosts of WEBHOOK_HOSTS. Names every problem. */
export function webhookHosts(value: string | undefined): { hosts: AllowedHost[]; problems: string[] } {
  const { hosts, problems } = readHosts('WEBHOOK_HOSTS', value, { http: true })
  return { hosts: [...hosts, PUBLIC_HOSTS], problems }
}
