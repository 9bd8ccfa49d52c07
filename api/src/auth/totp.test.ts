import { expect, it } from 'vitest'
import { newTotpSecret, stepOfCode, totpCode, totpUri } from './totp.ts'

/** "12345678901234567890", the secret of RFC 6238, appendix B. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

it.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('gives the code of RFC 6238 at second %d', (seconds, code) => {
  expect(totpCode(SECRET, Math.floor(seconds / 30), 8)).toBe(code)
  expect(stepOfCode(SECRET, code.slice(2), seconds * 1_000, 0)).toBe(Math.floor(seconds / 30))
})

it('takes one step either side, and each step once', () => {
  const now = 1_000 * 30_000
  const at = (step: number, last = 0) => stepOfCode(SECRET, totpCode(SECRET, step), now, last)
  expect([998, 999, 1_000, 1_001, 1_002].map((step) => at(step))).toEqual([null, 999, 1_000, 1_001, null])
  expect([at(1_000, 1_000), at(999, 1_000), at(1_001, 1_000)]).toEqual([null, null, 1_001])
})

it('takes spaces as apps show them, and nothing else', () => {
  const code = totpCode(SECRET, 1_000)
  const judge = (text: string) => stepOfCode(SECRET, text, 30_000_000, 0)
  expect(judge(`${code.slice(0, 3)} ${code.slice(3)}`)).toBe(1_000)
  for (const text of ['', '0', `${code}0`, 'abcdef', '１２３４５６']) expect(judge(text)).toBeNull()
})

it('makes secrets of 160 bits, and an address that apps read', () => {
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/)
  expect(newTotpSecret()).not.toBe(newTotpSecret())
  const uri = new URL(totpUri(SECRET, 'A & B', 'ann:x'))
  expect([uri.pathname, uri.searchParams.get('secret')]).toEqual(['/A%20%26%20B:ann%3Ax', SECRET])
  expect(uri.searchParams.get('issuer')).toBe('A & B')
})
