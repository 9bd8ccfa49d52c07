import { expect, it } from 'vitest'
import { auditEntry, auditNetwork } from './entry.ts'

it.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:a:b:c:d:e:f', '2001:db8:a::/48'],
  ['2001:DB8::1', '2001:db8:0::/48'],
  ['::1', '0:0:0::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
])('the network of %s is %s', (address, network) => {
  expect(auditNetwork(address)).toBe(network)
})

it('names the admin and the network, and neither for others', () => {
  const actor = { userId: 'a'.repeat(24), address: '203.0.113.77' }
  expect(auditEntry(actor, 'post.deleted', { target: 'x' })).toMatchObject({
    ...{
      by: actor.userId,
      address: '203.0.113.0/24',
      action: 'post.deleted',
      target: 'x',
      details: {},
    },
  })
  expect(auditEntry(null, 'retention.ran', { details: { erased: 3 } })).toMatchObject({
    ...{ by: null, address: null, action: 'retention.ran', target: null, details: { erased: 3 } },
  })
})
