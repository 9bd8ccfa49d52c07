import { isIPv6 } from 'node:net'

/**
 * The wider network's groups and points. A /48 has 65,536 /64 networks, and hosting providers give one person a whole
 * /48, so it may use as much as eight /64 networks.
 */
export const WIDER = { groups: 3, times: 8 }

/**
 * Returns an IPv4 address itself, even if an IPv6 address stands for it. For other IPv6 addresses, returns the /64,
 * which one household gets, or the network with this many groups. The function also accepts its own result.
 */
export function networkOf(address: string, groups = 4): string {
  const [plain = ''] = address.replace(/^::ffff:(?=\d+\.)/i, '').split(/[%/]/, 1)
  // The colon is looked for first, because `isIPv6` tests a long expression, and each message needs this.
  if (!plain.includes(':') || !isIPv6(plain)) return plain
  const all = groupsOf(plain)
  const inside = ipv4Inside(all)
  if (inside !== null) return inside
  const first = all.slice(0, groups).map((group) => group.toString(16))
  return `${first.join(':')}::/${groups * 16}`
}

/** Returns the /48 of an IPv6 address or network. Null for IPv4, whose addresses stand alone. */
export function widerNetworkOf(address: string): string | null {
  const network = networkOf(address, WIDER.groups)
  return network.includes('::/') ? network : null
}

/** Returns the eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const first = numbersOf(head)
  const rest = numbersOf(tail ?? '')
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - rest.length) }, () => 0)
  return [...first, ...zeros, ...rest]
}

function numbersOf(part: string): number[] {
  return part.split(':').flatMap((group) => {
    if (group === '') return []
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

/**
 * Returns the IPv4 address whose owner has this IPv6 address. Without this, the owner of one IPv4 address would also
 * have an IPv6 network, and all clients behind one translator or Teredo server would share a /64.
 */
function ipv4Inside(groups: readonly number[]): string | null {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = groups
  // This prefix is 6to4's.
  if (a === 0x2002) return dotted(b, c)
  // Teredo inverts the bits of its client's address.
  if (a === 0x2001 && b === 0) return dotted(g ^ 0xffff, h ^ 0xffff)
  const isMapped = a === 0 && b === 0 && c === 0 && d === 0 && e === 0 && f === 0xffff
  // These are the translators' well-known prefix (RFC 6052), and the prefix for their own networks (RFC 8215).
  const isTranslated = a === 0x64 && b === 0xff9b && (c === 1 || (c === 0 && d === 0 && e === 0 && f === 0))
  return isMapped || isTranslated ? dotted(g, h) : null
}

function dotted(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}
