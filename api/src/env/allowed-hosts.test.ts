import { describe, expect, it } from 'vitest'
import { hostOf } from '../outbound/hosts.ts'
import { pushHosts, webhookHosts } from './allowed-hosts.ts'

describe('push hosts', () => {
  it('allows the push services of the browsers, and those that the operator adds', () => {
    const { hosts, problems } = pushHosts('push.example.com,*.push.apple.com')
    expect(problems).toEqual([])
    const known = { own: false, port: 443 }
    expect(hostOf('https://fcm.googleapis.com/fcm/send/a:b', hosts)).toMatchObject(known)
    expect(hostOf('https://updates.push.services.mozilla.com/wpush/v2/x', hosts)).toMatchObject(known)
    expect(hostOf('https://wns2.notify.windows.com/w/?token=x', hosts)).toMatchObject(known)
    expect(hostOf('https://web.push.apple.com/x', hosts)).toMatchObject({ own: true })
    expect(hostOf('https://push.example.com/x', hosts)).toMatchObject({ own: true })
    expect(hostOf('https://push.example.org/x', hosts)).toBeNull()
  })

  it('names PUSH_HOSTS in its problems', () => {
    expect(pushHosts('a b').problems).toEqual([expect.stringMatching(/^PUSH_HOSTS has "a b"; /)])
  })
})

describe('webhook hosts', () => {
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
})
