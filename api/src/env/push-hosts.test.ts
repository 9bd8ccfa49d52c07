import { expect, it } from 'vitest'
import { hostOf } from '../outbound/hosts.ts'
import { pushHosts } from './push-hosts.ts'

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
