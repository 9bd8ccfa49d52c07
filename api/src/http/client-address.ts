import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Env } from '../env/env.ts'

/** Whether the host at this address, which is `hop` hops away, is trusted to name its client. */
export type Trust = (address: string, hop: number) => boolean

/** Turns TRUST_PROXY into a predicate, for requests and sockets alike. */
export function createTrust(trustProxy: Env['trustProxy']): Trust {
  if (typeof trustProxy === 'boolean') return () => trustProxy
  if (typeof trustProxy === 'number') return (_address, hop) => hop < trustProxy

  const networks = new BlockList()
  for (const network of trustProxy) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (bits === undefined) networks.addAddress(address, family)
    else networks.addSubnet(address, Number(bits), family)
  }
  return (hopAddress) => {
    const address = hopAddress.replace(/^::ffff:(?=\d+\.)/i, '')
    const version = isIP(address)
    return version !== 0 && networks.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}

/** Returns the client's address: the nearest one that is not a trusted proxy. */
export function clientAddress(request: IncomingMessage, trust: Trust): string {
  let address = request.socket.remoteAddress ?? ''
  if (!trust(address, 0)) return address
  const claimed = forwardedAddresses(request)
  for (let hop = 0; trust(address, hop); hop += 1) {
    const next = claimed.pop()
    if (next === undefined) break
    address = next
  }
  return address
}

/**
 * Leaves only addresses in X-Forwarded-For, so that `request.ip` is `clientAddress`. Call this before adding any other
 * hook.
 */
export function readForwardedAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw }) => {
    if (raw.headers['x-forwarded-for'] !== undefined)
      raw.headers['x-forwarded-for'] = forwardedAddresses(raw).join(', ')
  })
}

/**
 * Returns the addresses in X-Forwarded-For without ports, the nearest one last. A word such as `unknown` names no
 * client, and whatever stands before it may be forged. The hop after the word then counts as the client, so that no
 * word gets a stranger a new address's limits.
 */
function forwardedAddresses({ headers }: IncomingMessage): string[] {
  const entries = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  const addresses = entries.map((entry) => entry.trim()).filter((entry) => entry !== '')
  const read = addresses.map(withoutPort)
  return read.slice(read.lastIndexOf(null) + 1) as string[]
}

/** Returns null if the entry is not an address. */
function withoutPort(entry: string): string | null {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(entry) ?? []
  const address = bracketed ?? dotted ?? entry
  return isIP(address) === 0 ? null : address
}
