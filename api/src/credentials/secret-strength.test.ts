import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { bitsOfChance } from './secret-strength.ts'

const letters = (alphabet: string, length: number) =>
  Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join('')

it.each<[string, () => string]>([
  ['32 random bytes in hexadecimal', () => randomBytes(32).toString('hex')],
  ['32 random bytes in base64', () => randomBytes(32).toString('base64')],
  ['32 random bytes in base64url', () => randomBytes(32).toString('base64url')],
  ['48 random bytes in base64', () => randomBytes(48).toString('base64')],
  ['260 random bits in base32', () => letters('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', 52)],
])('%s are never taken for a word', (_name, make) => {
  const lowest = Math.min(...Array.from({ length: 3_000 }, () => bitsOfChance(make())))
  expect(lowest).toBeGreaterThan(60)
})

it('repetition is not worth enough, however long it is', () => {
  const word = 'safe and sound '
  expect(bitsOfChance(`${word.repeat(6_000)}.`)).toBeLessThan(60)
  expect(bitsOfChance('')).toBe(0)
})
