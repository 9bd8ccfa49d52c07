import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { createAnswerTimes } from './answer-times.ts'
import { createSettings } from './settings.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
/** A Monday. */
const T0 = Date.parse('2026-11-23T12:00:00Z')
let test: TestApp
let bearer: { authorization: string }
let now = T0
beforeEach(async () => {
  now = T0
  test = await buildTestApp({ now: () => now, variables: { RATE_LIMITS: 'off' } })
  bearer = (await test.signIn()).bearer
})
afterEach(() => test.close())

/** Sends a visitor's message, and an answer after so many minutes. */
async function ask(minutes: number): Promise<void> {
  const clientId = newClientId()
  const send = async (headers: object) => {
    const payload = { clientId, message: 'hello' }
    const answer = await test.call('POST', '/api/chat', { payload, headers: { ...headers } })
    expect(answer.statusCode, answer.body).toBe(201)
  }
  await send({})
  now += minutes * MINUTE
  await send(bearer)
}
const measured = (count: number) =>
  vi.waitFor(async () => expect(await test.storage.answers.waits(0, 100)).toHaveLength(count), {
    timeout: 5_000,
  })
/** On a node that has just started: none remembers. */
const waitMinutes = () =>
  createAnswerTimes({
    storage: test.storage,
    settings: createSettings({ ...test, mail: false }),
    now: () => now,
  }).waitMinutes()

it('is the median of at least 20 answers', async () => {
  for (let n = 1; n <= 19; n += 1) await ask(n)
  await measured(19)
  expect(await waitMinutes()).toBeNull()
  await ask(500)
  await measured(20)
  // Between 10 and 11.
  expect(await waitMinutes()).toBe(11)
  const { chat } = (await test.call('GET', '/api/config')).json()
  expect(chat.waitMinutes).toBe(11)
})

it('is at least a minute', async () => {
  for (let n = 0; n < 20; n += 1) await ask(0)
  await measured(20)
  expect(await waitMinutes()).toBe(1)
})

it('forgets answers after 14 days, and removes them', async () => {
  for (let n = 0; n < 20; n += 1) await test.storage.answers.add({ at: T0, waitedMs: 5 * MINUTE })
  now = T0 + 14 * DAY
  expect(await waitMinutes()).toBe(5)
  now += 1
  expect(await waitMinutes()).toBeNull()
  await ask(1)
  await measured(1)
})

it('leaves out waits that began while closed, and replies without a wait', async () => {
  const hours = { timeZone: 'UTC', spans: [{ day: 1, from: '00:00', to: '12:30' }], closed: [] }
  const payload = { ...DEFAULT_SETTINGS, hours }
  expect((await test.call('PUT', '/api/settings', { headers: bearer, payload })).statusCode).toBe(200)
  const message = { clientId: newClientId(), message: 'hello' }
  await test.call('POST', '/api/chat', { payload: message, headers: bearer })
  now = T0 + 29 * MINUTE
  // It began while open.
  await ask(11)
  await ask(7)
  await measured(1)
  expect(await test.storage.answers.waits(0, 10)).toEqual([11 * MINUTE])
})

it('never fails a message', async () => {
  const add = vi.spyOn(test.storage.answers, 'add').mockRejectedValue(new Error('full'))
  await ask(1)
  await vi.waitFor(() => expect(add).toHaveBeenCalled(), { timeout: 5_000 })
})
