import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let addresses = 0
let remoteAddress: string
beforeAll(async () => {
  test = await buildTestApp()
})
afterAll(() => test.close())

const newKey = () => randomBytes(32).toString('base64url')
const withKey = (key: string) => ({ authorization: `Visitor ${key}` })
type Call = (clientId: string, headers: Record<string, string>) => Promise<number>

const call = async (method: 'GET' | 'PATCH' | 'POST' | 'DELETE', url: string, rest: object) =>
  (await test.call(method, `/api/chat${url}`, { remoteAddress, ...rest })).statusCode
const send = (clientId: string, headers = {}, more = {}) =>
  call('POST', '', { headers, payload: { clientId, message: 'Hello', ...more } })
const report: Call = (clientId, headers) =>
  call('PATCH', `/${clientId}/profile`, { headers, payload: { name: `Sam ${newKey()}` } })
const download: Call = (clientId, headers) => call('GET', `/${clientId}/export`, { headers })
const read: Call = (clientId, headers) => call('GET', `/${clientId}?after=1`, { headers })

const newAddress = () => {
  addresses += 1
  remoteAddress = `203.0.113.${addresses}`
}

const statusesOf = async (count: number, next: () => Promise<number>) => {
  const statuses = new Map<number, number>()
  for (let each = 0; each < count; each += 1) {
    const status = await next()
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  return Object.fromEntries(statuses)
}

describe('a conversation without a key', () => {
  it.each([
    ['reports', report, 60],
    ['downloads', download, 10],
    ['reads', read, 600],
  ])('has one allowance of %s for all keys', async (_, of, max) => {
    newAddress()
    const clientId = newClientId()
    await send(clientId)
    const next = () => of(clientId, withKey(newKey()))
    expect(await statusesOf(max + 20, next)).toEqual({ 200: max, 429: 20 })
    expect(await of(clientId, {})).toBe(429)
  })

  it('takes few messages without effect from an address, with any key', async () => {
    newAddress()
    const clientId = newClientId()
    const nonce = 'the-same-nonce'
    await send(clientId, {}, { nonce })
    const statuses = await statusesOf(700, () => send(clientId, withKey(newKey()), { nonce }))
    expect(statuses[200]).toBeLessThan(12_000 / 20)
    expect(statuses[429]).toBeGreaterThan(100)
  })
})

describe('a conversation with a key', () => {
  it.each([
    ['reports', report, 61],
    ['downloads', download, 11],
  ])('keeps its allowance of %s when strangers use up theirs at the same address', async (_, of, count) => {
    newAddress()
    const clientId = newClientId()
    const key = newKey()
    await send(clientId, withKey(key))
    expect(await statusesOf(count, () => of(clientId, withKey(newKey())))).toEqual({ 403: count })
    expect(await statusesOf(count, () => of(clientId, withKey(key)))).toEqual({ 200: count - 1, 429: 1 })
  })
})

it('an address reports at most ten times a second, in any number of conversations', async () => {
  newAddress()
  const ids = Array.from({ length: 20 }, () => newClientId())
  for (const clientId of ids) await send(clientId)
  let each = 0
  const statuses = await statusesOf(600, () => report(ids[each++ % ids.length] ?? '', {}))
  expect(statuses[200]).toBeLessThan(600)
  expect(statuses[200]).toBeGreaterThan(500)
})
