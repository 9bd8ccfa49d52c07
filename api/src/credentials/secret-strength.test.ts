import { createCipheriv } from 'node:crypto'
import { expect, it } from 'vitest'
import { entropyBits } from './secret-strength.ts'

/** As random as a key, and the same in each run: of millions of secrets, one looks like words. */
const stream = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16))
const randomBytes = (length: number) => stream.update(Buffer.alloc(length))

const letters = (alphabet: string, length: number) =>
  Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('')

it.each<[string, () => string]>([
  ['32 random bytes in hexadecimal', () => randomBytes(32).toString('hex')],
  ['32 random bytes in base64', () => randomBytes(32).toString('base64')],
  ['32 random bytes in base64url', () => randomBytes(32).toString('base64url')],
  ['48 random bytes in base64', () => randomBytes(48).toString('base64')],
  ['260 random bits in base32', () => letters('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 52)],
])('%s count more than 60 bits', (_name, make) => {
  const lowest = Math.min(...Array.from({ length: 3_000 }, () => entropyBits(make())))
  expect(lowest).toBeGreaterThan(60)
})

it('repetition of any length counts less than 60 bits', () => {
  const word = 'safe and sound '
  expect(entropyBits(`${word.repeat(6_000)}.`)).toBeLessThan(60)
  expect(entropyBits('')).toBe(0)
})
