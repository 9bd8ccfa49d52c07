import { isIP } from 'node:net'

/** The party that asks for passkeys. Browsers give a passkey only to the host that it was made for, at this origin. */
export interface RelyingParty {
  /** The domain name, which is WebAuthn's RP ID. */
  id: string
  origin: string
}

/**
 * Returns the relying party of PUBLIC_URL; null where browsers refuse passkeys: over plain HTTP, and at an address
 * instead of a name. A loopback address counts as localhost.
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { protocol, hostname, port } = new URL(publicUrl)
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
  if (isLoopback) {
    return { id: 'localhost', origin: `${protocol}//localhost${port === '' ? '' : `:${port}`}` }
  }
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0
  return protocol === 'https:' && !isAddress ? { id: hostname, origin: publicUrl } : null
}
