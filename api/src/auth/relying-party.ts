import { isIP } from 'node:net'

/** Who asks for passkeys: browsers give one only to the host that it was made for, at this origin. */
export interface RelyingParty {
  /** A domain name: WebAuthn's RP ID. */
  id: string
  origin: string
}

/** Null where browsers refuse passkeys: plain HTTP, and addresses in place of a name. A loopback address is localhost. */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { protocol, hostname, port } = new URL(publicUrl)
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
  if (isLoopback) {
    return { id: 'localhost', origin: `${protocol}//localhost${port === '' ? '' : `:${port}`}` }
  }
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0
  return protocol === 'https:' && !isAddress ? { id: hostname, origin: publicUrl } : null
}
