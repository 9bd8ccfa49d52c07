import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Env } from '../env/env.ts'
import { clientAddress, createTrust } from './client-address.ts'

function addressOf(trustProxy: Env['trustProxy'], remoteAddress: string, forwarded?: string): string {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return clientAddress({ headers, socket: { remoteAddress } } as IncomingMessage, createTrust(trustProxy))
}

describe('clientAddress', () => {
  it.each<[Env['trustProxy'], string, string | undefined, string]>([
    [false, '10.0.0.1', '1.1.1.1', '10.0.0.1'],
    [true, '10.0.0.1', '1.1.1.1, 2.2.2.2', '1.1.1.1'],
    [true, '10.0.0.1', undefined, '10.0.0.1'],
    [true, '10.0.0.1', ' , ', '10.0.0.1'],
    [1, '10.0.0.1', '1.1.1.1, 2.2.2.2', '2.2.2.2'],
    [2, '10.0.0.1', '1.1.1.1, 2.2.2.2', '1.1.1.1'],
    [['10.0.0.0/8'], '10.0.0.1', '1.1.1.1, 10.9.9.9', '1.1.1.1'],
    [['10.0.0.0/8'], '192.0.2.1', '1.1.1.1', '192.0.2.1'],
    [['10.0.0.1'], '::ffff:10.0.0.1', '1.1.1.1', '1.1.1.1'],
    [['2001:db8::/32', '10.0.0.1'], '2001:db8::7', '1.1.1.1, 10.0.0.1', '1.1.1.1'],
    [['10.0.0.1'], '10.0.0.1', '1.1.1.1, nonsense', 'nonsense'],
  ])('with TRUST_PROXY %j, from %s for %s, is %s', (trustProxy, remoteAddress, forwarded, expected) => {
    expect(addressOf(trustProxy, remoteAddress, forwarded)).toBe(expected)
  })
})
