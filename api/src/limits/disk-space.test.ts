import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { WRITES } from '../storage/model/writes.ts'

const MB = 1024 ** 2
const GB = 1024 ** 3
const TOKEN = 'a-token-of-enough-letters'

let disk: { freeBytes: number; totalBytes: number }
let test: TestApp
beforeEach(async () => {
  disk = { freeBytes: 50 * GB, totalBytes: 100 * GB }
  test = await buildTestApp({
    readDisk: async () => disk,
    variables: { METRICS_TOKEN: TOKEN, PUBLIC_REVIEWS: 'moderated' },
  })
})
afterEach(() => test.close())

const ready = () => test.call('GET', '/readyz')
/** Takes effect at the next read; /readyz reads at once. */
async function free(bytes: number, totalBytes = disk.totalBytes) {
  disk = { freeBytes: bytes, totalBytes }
  return ready()
}
const visitorWrites = (clientId = newClientId()) =>
  test.call('POST', '/api/chat', { payload: { clientId, message: 'Hello' } })
const statusOf = async (answer: ReturnType<TestApp['call']>) => (await answer).statusCode
const metrics = async () =>
  (await test.call('GET', '/metrics', { headers: { authorization: `Bearer ${TOKEN}` } })).body

describe('the disk that holds DATA_DIR', () => {
  it('is ok at /readyz while it has room', async () => {
    const answer = await free(201 * MB)
    expect([answer.statusCode, answer.json()]).toEqual([200, { status: 'ok' }])
    expect(await statusOf(visitorWrites())).toBe(201)
  })

  it('refuses visitors first, with a message, and still serves admins and readers', async () => {
    const { bearer } = await test.signIn()
    const clientId = newClientId()
    await visitorWrites(clientId)
    const answer = await free(199 * MB)
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      {
        status: 'degraded',
        reason: 'The disk that holds DATA_DIR is almost full: nothing from visitors is stored.',
      },
    ])
    const refused = await visitorWrites(clientId)
    expect(refused.statusCode).toBe(503)
    expect(refused.json()).toMatchObject({
      code: 'unavailable',
      retryable: true,
      retryAfterMs: expect.any(Number),
      message: "We can't save anything new right now. Try again in a few minutes.",
    })
    const contact = { email: 'ada@example.com', title: 'A question', message: 'Hello' }
    expect(await statusOf(test.call('POST', '/api/contacts', { payload: contact }))).toBe(503)
    const review = { name: 'Ada', star: 5, review: 'Good' }
    expect(await statusOf(test.call('POST', '/api/reviews/submit', { payload: review }))).toBe(503)
    expect((await test.storage.contacts.list({ page: 1, perPage: 1 })).count).toBe(0)
    expect((await test.storage.reviews.pending({ page: 1, perPage: 1 })).count).toBe(0)

    const reply = { clientId, message: 'An answer' }
    expect(await statusOf(test.call('POST', '/api/chat', { payload: reply, headers: bearer }))).toBe(201)
    const page = await test.call('GET', `/api/chat/${clientId}`)
    expect(page.json().messages).toHaveLength(2)
  })

  it('refuses admins last, and is not ready then', async () => {
    const { bearer } = await test.signIn()
    const clientId = newClientId()
    await visitorWrites(clientId)
    const answer = await free(49 * MB)
    expect(answer.statusCode).toBe(503)
    expect(answer.json()).toMatchObject({
      code: 'unavailable',
      message: 'The disk that holds DATA_DIR is full.',
    })
    const reply = { clientId, message: 'An answer' }
    expect(await statusOf(test.call('POST', '/api/chat', { payload: reply, headers: bearer }))).toBe(503)
    // Deleting, and signing in to delete, stay possible.
    await test.signIn()
    expect(await statusOf(test.call('GET', `/api/chat/${clientId}`))).toBe(200)

    expect((await free(10 * GB)).json()).toEqual({ status: 'ok' })
    expect(await statusOf(visitorWrites())).toBe(201)
  })

  it('uses a share of a small disk', async () => {
    await free(6 * MB, 100 * MB)
    expect(await statusOf(visitorWrites())).toBe(201)
    await free(4 * MB, 100 * MB)
    expect(await statusOf(visitorWrites())).toBe(503)
  })

  it('is read regularly, and logs each change of state', async () => {
    disk = { freeBytes: 100 * MB, totalBytes: 100 * GB }
    await vi.waitFor(async () => expect(await statusOf(visitorWrites())).toBe(503), { timeout: 10_000 })
    await visitorWrites()
    const lines = test.log.filter((line) => line.includes('"disk space"'))
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 50, state: 'low', freeBytes: 100 * MB })
    await free(100 * GB)
    const last = test.log.findLast((line) => line.includes('"disk space"'))
    expect(JSON.parse(last ?? '')).toMatchObject({ level: 30, state: 'ok' })
  })

  it('treats uploads like messages of visitors', async () => {
    await free(100 * MB)
    const bytes = readFileSync(new URL('../../test/pictures/1x1.png', import.meta.url))
    await expect(
      test.app.useCases.uploads.store(bytes, { name: 'a.png', type: 'image/png' }),
    ).rejects.toMatchObject({
      code: 'storage-full',
    })
  })

  it('refuses each method that the store declares to grow it', async () => {
    await free(1 * MB)
    const { inbox, sites, apiKeys, endpoints } = test.app.useCases.storage
    const nothing = {} as never
    const growing: (() => Promise<unknown>)[] = [
      () => inbox.addMail(nothing),
      () => sites.create(nothing, 1),
      () => sites.update('a', nothing, 1),
      () => sites.addSecret('a', nothing, 1),
      () => apiKeys.create(nothing, 1),
      () => endpoints.create(nothing, 1),
    ]
    for (const call of growing) await expect(call()).rejects.toMatchObject({ code: 'unavailable' })
    await free(100 * MB)
    await expect(inbox.addMail(nothing)).rejects.toMatchObject({ code: 'unavailable' })
    expect(await apiKeys.remove('a'.repeat(24), Date.now())).toBe(false)
  })

  it('knows every method of the store', () => {
    const repositories = Object.entries(test.storage).filter(([, value]) => typeof value === 'object')
    const methods = repositories.flatMap(([name, value]) =>
      value === null ? [] : Object.keys(value).map((method) => `${name}.${method}`),
    )
    const declared = Object.entries(WRITES).flatMap(([name, effects]) =>
      Object.keys(effects).map((method) => `${name}.${method}`),
    )
    // Only MongoDB has a content revision.
    const onBoth = declared.filter((name) => !name.startsWith('contentRevision.'))
    expect(methods.sort()).toEqual(onBoth.sort())
  })

  it('is in the metrics', async () => {
    await free(100 * MB)
    const low = await metrics()
    expect(low).toContain(`proctorpass_disk_free_bytes ${100 * MB}`)
    expect(low).toContain('proctorpass_disk_refused{side="visitor"} 1')
    expect(low).toContain('proctorpass_disk_refused{side="admin"} 0')
    await free(1 * MB)
    expect(await metrics()).toContain('proctorpass_disk_refused{side="admin"} 1')
  })
})
