import { isIP } from 'node:net'

/** The proxies whose X-Forwarded-For is trusted: none, all, this many hops, or these addresses. */
type TrustedProxies = boolean | number | string[]

/** Reads TRUST_PROXY. Returns null if it is malformed. */
export function trustProxy(value: string | undefined): TrustedProxies | null {
  if (value === undefined || value === 'false') return false
  if (value === 'true') return true
  if (/^[1-9]$/.test(value)) return Number(value)
  const addresses = value.split(',').map((address) => address.trim())
  return addresses.every(isNetwork) ? addresses : null
}

function isNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}
