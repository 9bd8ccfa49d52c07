import { type LookupAddress, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** Thrown for a request that is refused here, no matter how often it is repeated. */
export class NotAllowed extends Error {}

const PRIVATE_V4 = subnets('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])
/** The IPv6 addresses in public use. Addresses that contain an IPv4 address are not needed. */
const PUBLIC_V6 = subnets('ipv6', ['2000::/3'])
const TUNNELS_V6 = subnets('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16'])

function subnets(family: 'ipv4' | 'ipv6', names: string[]): BlockList {
  const list = new BlockList()
  for (const name of names) {
    const [address = '', bits] = name.split('/')
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

export function isPublicAddress({ address, family }: LookupAddress): boolean {
  if (family === 4) return !PRIVATE_V4.check(address, 'ipv4')
  return PUBLIC_V6.check(address, 'ipv6') && !TUNNELS_V6.check(address, 'ipv6')
}

/** Checks an address in the URL, to which Node connects without a lookup. Throws a NotAllowed for a private one. */
export function refusePrivateAddress(url: string): void {
  const address = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1')
  const family = isIP(address)
  if (family !== 0 && !isPublicAddress({ address, family })) throw privateAddress()
}

/**
 * Looks up a name that the operator did not choose, which must not lead into the operator's network. The connection is
 * made to the addresses checked here, so that the name cannot change in between.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const refused = error ?? (addresses.every(isPublicAddress) ? null : privateAddress())
    const [first] = addresses ?? []
    if (refused !== null || first === undefined) callback(refused ?? new NotAllowed('no address'), '', 0)
    else if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

function privateAddress(): NotAllowed {
  return new NotAllowed('a private address')
}
