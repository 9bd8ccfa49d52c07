import type { IncomingMessage } from 'node:http'
import fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import type { Env } from '../env/env.ts'
import { clientAddress, createTrust, readForwardedAddresses } from './client-address.ts'

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
    [1, '10.0.0.1', '1.1.1.1:5678', '1.1.1.1'],
    [1, '10.0.0.1', '[2001:db8::7]:443', '2001:db8::7'],
    [1, '10.0.0.1', '[2001:db8::7]', '2001:db8::7'],
    [1, '10.0.0.1', '2001:db8::7', '2001:db8::7'],
    [2, '10.0.0.1', '1.1.1.1:1, 2.2.2.2:2', '1.1.1.1'],
    [['10.0.0.0/8'], '10.0.0.1', '1.1.1.1:1, 10.9.9.9:80', '1.1.1.1'],
    // What is no address is the hop before, whatever stands in front of it.
    [1, '10.0.0.1', 'unknown', '10.0.0.1'],
    [1, '10.0.0.1', '1.1.1.1, _hidden', '10.0.0.1'],
    [2, '10.0.0.1', '1.1.1.1, unknown', '10.0.0.1'],
    [2, '10.0.0.1', 'unknown, 2.2.2.2', '2.2.2.2'],
    [true, '10.0.0.1', '1.1.1.1, unknown, 2.2.2.2', '2.2.2.2'],
    [['10.0.0.1'], '10.0.0.1', '1.1.1.1, nonsense', '10.0.0.1'],
    [1, '10.0.0.1', '1.1.1.1:99999999', '10.0.0.1'],
    [1, '10.0.0.1', '1.1.1.1:x', '10.0.0.1'],
    [1, '10.0.0.1', '[1.1.1.1', '10.0.0.1'],
    [1, '10.0.0.1', '999.1.1.1', '10.0.0.1'],
    [1, '10.0.0.1', 'for=1.1.1.1', '10.0.0.1'],
  ])('with TRUST_PROXY %j, from %s for %s, is %s', async (trustProxy, remoteAddress, forwarded, expected) => {
    expect(addressOf(trustProxy, remoteAddress, forwarded)).toBe(expected)

    const app = fastify({ trustProxy: createTrust(trustProxy) })
    readForwardedAddresses(app)
    app.get('/', async (request) => request.ip)
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    expect((await app.inject({ url: '/', remoteAddress, headers })).body).toBe(expected)
  })
})
