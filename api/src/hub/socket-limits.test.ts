import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createSocketLimits } from './socket-limits.ts'
import type { HubSocket } from './types.ts'

/** A socket of its own connection, from this address. */
const socketFrom = (address: string) =>
  ({ conn: new EventEmitter(), request: { headers: { address } } }) as unknown as HubSocket

it('admits 400 sockets of a network, and eight times as many of a /48, until they close', () => {
  const addressOf = ({ headers }: IncomingMessage) => String(headers.address)
  const limits = createSocketLimits({ rateLimits: true, addressOf })
  const admitted = (network: string, count: number) =>
    Array.from({ length: count }, () => socketFrom(network)).filter(limits.admitToAddress)
  expect(admitted('192.0.2.7', 500)).toHaveLength(400)
  const open = Array.from({ length: 20 }, (_, index) => admitted(`2001:db8:1:${index}::/64`, 500)).flat()
  expect(open).toHaveLength(3_200)
  expect(admitted('2001:db8:2:0::/64', 1)).toHaveLength(1)
  for (const { conn } of open) (conn as unknown as EventEmitter).emit('close')
  expect(admitted('2001:db8:1:99::/64', 400)).toHaveLength(400)
})
