import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import type { Env } from '../env/env.ts'

/** Whether the host at this address, `hop` hops away, is trusted to name its client. */
export type Trust = (address: string, hop: number) => boolean

/** TRUST_PROXY as a predicate, for requests and sockets alike. */
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
  return (given) => {
    const address = given.replace(/^::ffff:(?=\d+\.)/i, '')
    const version = isIP(address)
    return version !== 0 && networks.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}

/** The address of the client: the nearest one that is not a trusted proxy. */
export function clientAddress(request: IncomingMessage, trust: Trust): string {
  let address = request.socket.remoteAddress ?? ''
  if (!trust(address, 0)) return address
  const forwarded = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  const claimed = forwarded.map((address) => address.trim()).filter((address) => address !== '')
  for (let hop = 0; trust(address, hop); hop += 1) {
    const next = claimed.pop()
    if (next === undefined) break
    address = next
  }
  return address
}
