import { afterEach, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const PATH = '/.well-known/security.txt'
const DAY_MS = 24 * 60 * 60 * 1_000

let test: TestApp
afterEach(() => test.close())

/** The fields of RFC 9116, by name. */
async function fields(variables: Record<string, string>, now?: () => number) {
  test = await buildTestApp({ variables, ...(now === undefined ? {} : { now }) })
  const answer = await test.call('GET', PATH)
  expect(answer.statusCode).toBe(200)
  expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(answer.headers['cache-control']).toBe('public, max-age=86400')
  expect(answer.body.endsWith('\n')).toBe(true)
  const lines = answer.body.trimEnd().split('\n')
  const entries = lines.map((line) => /^([A-Z][A-Za-z-]+): (\S.*)$/.exec(line)?.slice(1) as [string, string])
  expect(new Set(entries.map(([name]) => name)).size).toBe(lines.length)
  return Object.fromEntries(entries)
}

it('has contact, languages and its canonical address', async () => {
  const found = await fields({
    PUBLIC_URL: 'https://Chat.example.com',
    SUPPORT_EMAIL: 'security+site@example.com',
    SERVE_WEB: 'false',
  })
  expect(found).toEqual({
    Contact: 'mailto:security+site@example.com',
    Expires: expect.any(String),
    'Preferred-Languages': 'en',
    Canonical: `https://chat.example.com${PATH}`,
  })
})

it('expires after all caches and within a year, for any uptime', async () => {
  let time = Date.UTC(2026, 10, 22, 23, 59, 59)
  for (const later of [0, 1, 200 * DAY_MS, 5_000 * DAY_MS]) {
    time += later
    const { Expires } = await fields({}, () => time)
    expect(Expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const left = Date.parse(Expires ?? '') - time
    expect(left).toBeGreaterThan(30 * DAY_MS)
    expect(left).toBeLessThan(365 * DAY_MS)
    await test.close()
  }
})

it('claims no canonical address without https, which RFC 9116 asks for', async () => {
  expect(await fields({ PUBLIC_URL: 'http://192.0.2.1:3000' })).not.toHaveProperty('Canonical')
})

it('encodes any SUPPORT_EMAIL as a URI', async () => {
  const { Contact } = await fields({ SUPPORT_EMAIL: 'a%b?c&d@example.com' })
  expect(Contact).toBe('mailto:a%25b%3Fc%26d@example.com')
  expect(new URL(Contact ?? '').pathname).toBe('a%25b%3Fc%26d@example.com')
})
