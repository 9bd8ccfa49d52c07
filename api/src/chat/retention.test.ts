import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { temporaryDir } from '../../test/server-process.ts'
import { LOOK_EVERY_MS, type WatchedJobs, watchJobs } from '../../test/watched-jobs.ts'
import { readEnv } from '../env/env.ts'
import type { Stores } from '../storage/model/storage.ts'
import { openStores } from '../storage/open-storage.ts'
import { IGNORE_FACTS } from './listeners.ts'

const DAY = 24 * 60 * 60 * 1_000
const SOON = { timeout: 15_000 }
const T0 = Date.UTC(2026, 0, 1)
let dir: ReturnType<typeof temporaryDir>
let stores: Stores
let settled: WatchedJobs['settled']
let nodes: TestApp[] = []
let now = T0

beforeEach(async () => {
  now = T0
  dir = temporaryDir('retention')
  const env = { DATA_DIR: dir.path, SERVE_WEB: 'false' }
  const { storage, ...files } = await openStores(readEnv(env))
  const watched = watchJobs(storage.jobs)
  settled = watched.settled
  stores = { ...files, storage: { ...storage, jobs: watched.jobs } }
})
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  nodes = []
  await stores.storage.close()
  dir.remove()
})

async function start(): Promise<TestApp> {
  const node = await buildTestApp({
    ...{ dataDir: dir.path, stores, now: () => now, lookEveryMs: LOOK_EVERY_MS },
  })
  nodes.push(node)
  return node
}

let nonces = 0
async function say(clientId: string, at: number, byAdmin = false): Promise<void> {
  nonces += 1
  const senderId = byAdmin ? 'a'.repeat(24) : clientId
  await stores.storage.messages.append({ clientId, senderId, message: 'hi', nonce: `nonce-${nonces}-xx`, at })
}
const exists = async (clientId: string) => (await stores.storage.conversations.record(clientId)) !== null

async function keepFor(node: TestApp, retentionDays: number | null): Promise<void> {
  const { bearer } = await node.signIn()
  const { version } = (await node.call('GET', '/api/settings', { headers: bearer })).json()
  const payload = { ...DEFAULT_SETTINGS, retentionDays, version }
  const answer = await node.call('PUT', '/api/settings', { headers: bearer, payload })
  expect(answer.statusCode, answer.body).toBe(200)
  // The other nodes know it too, as they do a second later.
  for (const { call } of nodes) await call('GET', '/api/settings', { headers: bearer })
}

it('erases old conversations once, on one of two nodes, and keeps those with a newer message', async () => {
  const both = [await start(), await start()]
  const [waiting, answered, resolved, renewed, young] = ['w', 'a', 'r', 'n', 'y'].map((name) =>
    name.padEnd(20, '0'),
  ) as [string, string, string, string, string]
  for (const clientId of [waiting, answered, resolved, renewed]) await say(clientId, T0)
  await say(answered, T0, true)
  await stores.storage.inbox.change(resolved, { status: 'resolved' }, { by: null, at: T0 })
  // It has waited as long, but wrote again.
  await say(renewed, T0 + DAY)
  await say(young, T0 + DAY)
  const erased: string[] = []
  for (const { app } of both) {
    app.useCases.chat.listen({
      ...IGNORE_FACTS,
      conversationErased: (clientId) => void erased.push(clientId),
    })
  }
  now = T0 + 30 * DAY
  await keepFor(both[0] as TestApp, 30)
  now += 5_000
  await vi.waitFor(() => expect(erased).toHaveLength(3), SOON)
  await settled()
  expect(erased.sort()).toEqual([answered, resolved, waiting])
  expect(await Promise.all([renewed, young].map(exists))).toEqual([true, true])
  // An hour later it looks again.
  now = T0 + 31 * DAY + 5_000
  await vi.waitFor(() => expect(erased).toHaveLength(5), SOON)
})

it('begins with the start of a node, and erases more than one batch', async () => {
  const ids = Array.from({ length: 230 }, newClientId)
  await Promise.all(ids.map((clientId) => say(clientId, T0)))
  await stores.storage.documents.write('settings', { ...DEFAULT_SETTINGS, retentionDays: 30 }, 0)
  now = T0 + 30 * DAY
  await start()
  await vi.waitFor(async () => expect(await stores.storage.conversations.idle(now, 1_000)).toEqual([]), SOON)
})

it('erases nothing once it is off', async () => {
  const clientId = newClientId()
  await say(clientId, T0)
  now = T0 + 29 * DAY
  const node = await start()
  await keepFor(node, 30)
  await keepFor(node, null)
  now = T0 + 40 * DAY
  await settled()
  expect(await exists(clientId)).toBe(true)
})

it('erases spam 30 days after its mark, also while it is off', async () => {
  const [old, young, taken] = ['o', 'y', 't'].map((name) => name.padEnd(20, '0')) as [string, string, string]
  const mark = (clientId: string, at: number) =>
    stores.storage.inbox.change(clientId, { status: 'spam' }, { by: null, at })
  for (const clientId of [old, young, taken]) await say(clientId, T0)
  await mark(old, T0)
  await mark(taken, T0)
  await mark(young, T0 + DAY)
  await stores.storage.inbox.change(taken, { spam: false }, { by: null, at: T0 + 1 })
  now = T0 + 30 * DAY - 1
  await start()
  await settled()
  expect(await exists(old)).toBe(true)
  now = T0 + 30 * DAY + 60 * 60 * 1_000
  await vi.waitFor(async () => expect(await exists(old)).toBe(false), SOON)
  await settled()
  expect(await Promise.all([young, taken].map(exists))).toEqual([true, true])
})

it('begins also when the store was away at the start', async () => {
  const clientId = newClientId()
  await say(clientId, T0)
  await stores.storage.documents.write('settings', { ...DEFAULT_SETTINGS, retentionDays: 30 }, 0)
  now = T0 + 30 * DAY
  const { documents, jobs } = stores.storage
  const away = new Error('The store is away.')
  const refusals = [
    vi.spyOn(documents, 'read').mockRejectedValue(away),
    vi.spyOn(jobs, 'schedule').mockRejectedValue(away),
  ]
  await start()
  await vi.waitFor(() => expect(refusals[1]).toHaveBeenCalled(), SOON)
  for (const refusal of refusals) refusal.mockRestore()
  await vi.waitFor(async () => expect(await exists(clientId)).toBe(false), SOON)
})

it('stops in the middle of a run when it is switched off', async () => {
  const ids = Array.from({ length: 10 }, newClientId)
  await Promise.all(ids.map((clientId) => say(clientId, T0)))
  now = T0 + 30 * DAY
  const { conversations } = stores.storage
  const { erase } = conversations
  let erasing = 0
  vi.spyOn(conversations, 'erase').mockImplementation(async (...args) => {
    erasing += 1
    if (erasing === 3) await keepFor(node, null)
    return erase(...args)
  })
  const node = await start()
  await keepFor(node, 30)
  now += 5_000
  await vi.waitFor(() => expect(erasing).toBe(3), SOON)
  await settled()
  const left = async () => (await conversations.idle(now, 1_000)).length
  expect(await left()).toBe(7)
  now += DAY
  await settled()
  expect(await left()).toBe(7)
})
