import { hash } from '@node-rs/argon2'
import { describe, expect, it } from 'vitest'
import { passwordProblem } from './password-rules.ts'
import { createPasswords, generatePassword } from './passwords.ts'

describe('passwordProblem', () => {
  it.each([
    'correct horse battery stapler',
    'пароль-который-длинный',
    'twelve chars',
    'a'.repeat(11).concat('bcdefg'),
    'x'.repeat(64).concat('y'.repeat(64)),
  ])('accepts %j', (password) => {
    expect(passwordProblem(password, 'admin')).toBeNull()
  })

  it.each([
    ['elevenchars', 'fewer than 12'],
    ['y'.repeat(60).concat('z'.repeat(69)), 'more than 128'],
    ['Password1234', 'most common'],
    ['qwertyuiop12', 'most common'],
    ['123456789012', 'most common'],
    ['AAAAAAAAAAAAA', 'most common'],
    ['motherfucker', 'most common'],
    ['1qazxsw23edc', 'most common'],
    ['qazwsxedc123', 'most common'],
    ['112233445566', 'most common'],
    ['finalfantasy', 'most common'],
    ['professional', 'most common'],
    ['123456QWERTY', 'most common'],
    ['the.administrator', 'username'],
    // Twelve code points that compose to six letters.
    ['e\u0301'.repeat(6), 'fewer than 12'],
  ])('refuses %j', (password, why) => {
    expect(passwordProblem(password, 'The.Administrator')).toContain(why)
  })
})

describe('passwords', () => {
  it('are stored as argon2id with the parameters of OWASP', async () => {
    const passwords = createPasswords()
    const stored = await passwords.hash('a good long phrase')
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await passwords.verify(stored, 'a good long phrase')).toBe(true)
    expect(await passwords.verify(stored, 'a good long phrase.')).toBe(false)
    expect(await passwords.isOutdated(stored)).toBe(false)
  })

  it('match in any Unicode composition', async () => {
    const passwords = createPasswords()
    const stored = await passwords.hash('caf\u00e9 au lait, toujours')
    expect(await passwords.verify(stored, 'cafe\u0301 au lait, toujours')).toBe(true)
  })

  it('never match without a user', async () => {
    expect(await createPasswords().verify(null, 'whatever it may be')).toBe(false)
  })

  it('are outdated when the parameters were raised', async () => {
    const weak = await hash('a good long phrase', { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
    expect(await createPasswords().isOutdated(weak)).toBe(true)
  })

  it('wait in a bounded queue; further ones are refused with a retry time', async () => {
    const passwords = createPasswords()
    const all = await Promise.allSettled(Array.from({ length: 60 }, () => passwords.verify(null, 'a flood')))
    const refused = all.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    expect(refused).toHaveLength(8)
    expect(refused[0]?.reason).toMatchObject({ code: 'unavailable', retryAfterMs: 2_000 })
    expect(await passwords.verify(null, 'after the flood')).toBe(false)
  })

  it('are generated with more than 100 bits, to be typed', () => {
    expect(generatePassword()).toMatch(/^([2-9a-hjkmnp-z]{6}-){3}[2-9a-hjkmnp-z]{6}$/)
    expect(passwordProblem(generatePassword(), 'admin')).toBeNull()
    expect(Math.log2(31) * 24).toBeGreaterThan(100)
  })
})
