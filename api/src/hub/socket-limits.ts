import { WIDER, widerNetworkOf } from '../limits/networks.ts'
import type { HubOptions, HubSocket } from './types.ts'

/** Enough for one visitor's tabs and devices. */
const SOCKETS_PER_CONVERSATION = 20
/** Enough for forty people behind one address with a few tabs each, and a reserve. */
const SOCKETS_PER_ADDRESS = 400

/**
 * Limits the open sockets per address and per conversation. A socket counts until its connection closes, even if the
 * namespace refused it. Otherwise one connection could retry forever.
 */
export function createSocketLimits({ rateLimits, addressOf }: Pick<HubOptions, 'rateLimits' | 'addressOf'>) {
  const counts = new Map<string, number>()
  /**
   * Holds each connection's address and counted keys, because a client may join several times, and its request is
   * released after the first time.
   */
  const connections = new WeakMap<object, { address: string; keys: string[] }>()

  function connectionOf({ conn, request }: HubSocket) {
    const known = connections.get(conn)
    if (known !== undefined) return known
    const connection = { address: addressOf(request), keys: [] as string[] }
    connections.set(conn, connection)
    conn.once('close', () => {
      for (const key of connection.keys) {
        const count = counts.get(key) ?? 0
        if (count <= 1) counts.delete(key)
        else counts.set(key, count - 1)
      }
    })
    return connection
  }

  function admit(socket: HubSocket, key: string, max: number): boolean {
    if (!rateLimits) return true
    const count = counts.get(key) ?? 0
    if (count >= max) return false
    counts.set(key, count + 1)
    connectionOf(socket).keys.push(key)
    return true
  }

  const addressOfSocket = (socket: HubSocket) => connectionOf(socket).address
  return {
    addressOf: addressOfSocket,
    /** Returns false if the address, or its /48, already has as many sockets as it may. */
    admitToAddress(socket: HubSocket) {
      const address = addressOfSocket(socket)
      const wider = widerNetworkOf(address)
      return (
        admit(socket, `address:${address}`, SOCKETS_PER_ADDRESS) &&
        (wider === null || admit(socket, `address:${wider}`, SOCKETS_PER_ADDRESS * WIDER.times))
      )
    },
    admitToConversation: (socket: HubSocket, allowance: string) =>
      admit(socket, `conversation:${allowance}`, SOCKETS_PER_CONVERSATION),
  }
}

export type SocketLimits = ReturnType<typeof createSocketLimits>
