import { expect, it } from 'vitest'
import { hostOf } from '../outbound/hosts.ts'
import { webhookHosts } from './webhook-hosts.ts'

const { hosts } = webhookHosts('hooks.internal,10.0.0.7:9000,*.team.example')

it.each([
  ['https://hooks.example.com/x', false],
  ['https://hooks.example.com:8443/x', false],
  ['https://hooks.internal/x', true],
  ['http://hooks.internal/x', true],
  ['http://hooks.internal:80/x', true],
  ['http://10.0.0.7:9000/', true],
  ['https://10.0.0.7:9000/', true],
  ['http://a.team.example/', true],
])('allows %s', (url, own) => {
  expect(hostOf(url, hosts)).toMatchObject({ own })
})

it.each([
  'http://hooks.example.com/x',
  'http://hooks.internal:8080/',
  'http://10.0.0.7/',
  'ftp://hooks.internal/',
])('refuses %s', (url) => {
  expect(hostOf(url, hosts)).toBeNull()
})

it("does not take an address beside those that are named for the operator's own", () => {
  expect(hostOf('https://hooks.internal:8443/', hosts)).toMatchObject({ own: false })
})

it('names WEBHOOK_HOSTS in its problems', () => {
  expect(webhookHosts('a b').problems).toEqual([expect.stringMatching(/^WEBHOOK_HOSTS has "a b"; /)])
})
