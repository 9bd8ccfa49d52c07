import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const STEP_MS = 30_000
const DIGITS = 6
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Makes a secret of 160 bits, as RFC 4226 recommends, in base32, because authenticator apps take nothing else. */
export function newTotpSecret(): string {
  return Array.from(randomBytes(32), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}

/** Returns the code of a step by RFC 6238 with SHA-1. A step counts half minutes since 1970 UTC. */
export function totpCode(secret: string, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/**
 * Returns the step of a code that is valid at `now` (milliseconds since 1970 UTC) or one step before or after it, and
 * that is newer than `lastStep`; null for any other code.
 */
export function stepOfCode(secret: string, code: string, now: number, lastStep: number): number | null {
  const typed = Buffer.from(code.replace(/\s/g, ''))
  const current = Math.floor(now / STEP_MS)
  const isRight = (step: number) => {
    const right = Buffer.from(totpCode(secret, step))
    return right.length === typed.length && timingSafeEqual(right, typed)
  }
  return [current - 1, current, current + 1].find((step) => step > lastStep && isRight(step)) ?? null
}

/** Returns the URI that the QR code contains. */
export function totpUri(secret: string, issuer: string, userName: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(userName)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((sign) => ALPHABET.indexOf(sign).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}
