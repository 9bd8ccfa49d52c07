import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

let test: TestApp
beforeEach(async () => {
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off', LOG_LEVEL: 'info' } })
})
afterEach(() => vi.restoreAllMocks())

const lines = () => test.log.map((line) => JSON.parse(line) as Record<string, unknown>)
const leftOut = async () => {
  await test.close()
  return lines().find(({ msg }) => msg === 'lines left out')?.more
}

it('lists some writes of each route, and counts the others', async () => {
  const clientId = newClientId()
  const message = { clientId, message: 'Hello', nonce: 'the-same-nonce' }
  for (let time = 0; time < 100; time += 1) {
    await test.call('POST', '/api/chat', { payload: message })
    await test.call('POST', `/api/chat/${clientId}/read`, { payload: { seq: 1 } })
  }
  expect(lines().filter(({ msg }) => msg === 'request')).toHaveLength(120)
  expect(await leftOut()).toEqual({
    'request POST /api/chat': 40,
    'request POST /api/chat/:clientId/read': 40,
  })
})

it('lists some errors of each cause, and counts the others', async () => {
  vi.spyOn(test.storage.messages, 'page').mockRejectedValue(new TypeError('broken'))
  vi.spyOn(test.storage.messages, 'append').mockRejectedValue(new RangeError('broken'))
  const clientId = newClientId()
  for (let time = 0; time < 100; time += 1) {
    const answer = await test.call('GET', `/api/chat/${clientId}`)
    expect([answer.statusCode, answer.json().code]).toEqual([500, 'internal'])
    await test.call('POST', '/api/chat', { payload: { clientId, message: 'Hello' } })
  }
  const errors = lines().filter(({ level }) => level === 50)
  expect(errors).toHaveLength(20)
  expect(errors[0]).toMatchObject({ err: { type: 'TypeError', stack: expect.stringContaining('broken') } })
  expect(await leftOut()).toEqual({
    'error GET /api/chat/:clientId TypeError': 90,
    'error POST /api/chat RangeError': 90,
    'request internal': 140,
  })
})

it('lists some wrong tokens of a website, and counts the others', async () => {
  const headers = (await test.signIn()).bearer
  const payload = { name: 'Shop', origins: ['https://shop.example'] }
  const { _id } = (await test.call('POST', '/api/sites', { headers, payload })).json().data
  for (let time = 0; time < 100; time += 1) {
    const answer = await test.call('POST', `/embed/${_id}/identify`, {
      headers: { 'sec-fetch-site': 'same-origin' },
      payload: { token: 'x' },
    })
    expect(answer.json().code).toBe('bad-identity')
  }
  expect(lines().filter(({ msg }) => msg === 'identity refused')).toHaveLength(60)
  expect(await leftOut()).toEqual({ [`identity refused ${_id}`]: 40, 'request bad-identity': 40 })
})

it('lists some failed sign-ins, and counts the others', async () => {
  const payload = { userName: 'unknown', password: 'wrong' }
  await Promise.all(Array.from({ length: 80 }, () => test.call('POST', '/api/auth', { payload })))
  expect(lines().filter(({ msg }) => msg === 'sign-in failed')).toHaveLength(60)
  expect(await leftOut()).toMatchObject({ 'sign-in failed': 20 })
})

it('bounds each message of every logger, without a kind of its own', async () => {
  const { log } = test.app
  for (let time = 0; time < 1_000; time += 1) {
    log.child({ room: 'mail' }).warn({ time }, 'mail skipped')
    log.error(new Error('broken'), 'a job failed')
    log.info('plain')
    log.debug('not asked for')
  }
  const count = (message: string) => lines().filter(({ msg }) => msg === message).length
  expect(['mail skipped', 'a job failed', 'plain', 'not asked for'].map(count)).toEqual([300, 60, 300, 0])
  expect(await leftOut()).toEqual({ 'line mail skipped': 700, 'line a job failed': 940, 'line plain': 700 })
})
