import { expect, it, onTestFinished, vi } from 'vitest'
import { endpointRecord } from '../../test/storage-contract/endpoints.ts'
import type { Seal } from '../credentials/sealed-text.ts'
import type { JobRun } from '../jobs/jobs.ts'
import type { EventRecord } from '../storage/model/events.ts'
import { extended } from '../storage/model/storage.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import type { Events } from './events.ts'
import type { Outcome } from './post-event.ts'
import { createWebhookHandler, webhookJob } from './webhook-job.ts'
import { createWebhooks } from './webhooks.ts'

const record = (number: number, clientId: string | null = null): EventRecord => ({
  ...{ _id: `contact.created ${number}`, number, type: 'contact.created', at: 1, clientId, n: 0 },
})
const TAKEN: Outcome = { status: 200, error: null, answer: '', pauseMs: null }

it('leaves nothing under way when the store fails', async () => {
  const storage = openSqlite(':memory:')
  onTestFinished(() => storage.close())
  const endpoint = { ...endpointRecord(1), after: 0, types: [] }
  await storage.endpoints.create(endpoint, 1)
  const records = Array.from({ length: 20 }, (_, index) => record(index + 1))
  let posts = 0
  let underWay = 0
  const deliver = createWebhookHandler({
    storage: {
      ...{ endpoints: storage.endpoints, retries: storage.retries },
      events: extended(storage.events, { after: async () => records }),
      deliveries: extended(storage.deliveries, {
        async add({ event }) {
          if (event === 1) throw new Error('The store is away.')
        },
      }),
    },
    events: { toEvent: async ({ number: id, type }) => ({ id, type, at: '', data: {} }) },
    async post(_endpoint, { id }) {
      posts += 1
      underWay += 1
      // The others take longer.
      if (id !== 'evt_1') await new Promise(setImmediate)
      underWay -= 1
      return TAKEN
    },
    notifyDisabled: async () => {},
    log: { warn() {} },
    stop: new AbortController().signal,
    now: Date.now,
  })
  const job = { ...webhookJob(endpoint._id, 0), leaseUntil: 0, attempts: 0 }
  await expect(deliver({ job, now: 0, save: async () => {} } as unknown as JobRun)).rejects.toThrow('away')
  expect(underWay).toBe(0)
  expect(posts).toBe(8)
})

/** Event 1 of a conversation waits for its retry, and its event 41 is more than a step behind. */
async function openRuns() {
  const storage = openSqlite(':memory:')
  onTestFinished(() => storage.close())
  const endpoint = { ...endpointRecord(1), after: 1, types: [] }
  const { _id } = endpoint
  await storage.endpoints.create(endpoint, 1)
  await storage.retries.put({ endpoint: _id, subject: 'one', event: 1, attempts: 1, dueAt: 1 })
  const records = Array.from({ length: 41 }, (_, index) => record(index + 1))
  records[0] = record(1, 'one')
  records[40] = record(41, 'one')
  const posted: string[] = []
  function runOf(now: () => number, { onPost = async (_id: string) => {}, onRead = async () => {} } = {}) {
    const { endpoints, retries, deliveries } = storage
    const deliver = createWebhookHandler({
      storage: {
        deliveries,
        endpoints: extended(endpoints, {
          async find(id) {
            const found = await endpoints.find(id)
            await onRead()
            return found
          },
        }),
        retries: extended(retries, {
          async list(...args) {
            const found = await retries.list(...args)
            await onRead()
            return found
          },
        }),
        events: extended(storage.events, {
          after: async (after, limit) => records.slice(after, after + limit),
          afterOf: async (subject, after, limit) =>
            records.filter(({ number, clientId }) => number > after && clientId === subject).slice(0, limit),
        }),
      },
      events: { toEvent: async ({ number: id, type }) => ({ id, type, at: '', data: {} }) },
      async post(_endpoint, { id }) {
        posted.push(id)
        await onPost(id)
        return TAKEN
      },
      notifyDisabled: async () => {},
      log: { warn() {} },
      stop: new AbortController().signal,
      now,
    })
    const job = { ...webhookJob(_id, 0), leaseUntil: 0, attempts: 0 }
    return () => deliver({ job, now: 0, save: async () => {} } as unknown as JobRun)
  }
  return { storage, _id, posted, runOf }
}

it('posts what another run left to a retry of a conversation', async () => {
  const { storage, _id, posted, runOf } = await openRuns()
  // Its clock is slow, so the retry is not due there: it walks to the last event, and leaves that to the retry.
  const other = runOf(() => 0)
  const run = runOf(Date.now, {
    async onPost(id) {
      const isFirst = posted.filter((each) => each === 'evt_1').length === 1
      if (id === 'evt_1' && isFirst) await other()
    },
  })
  await run()
  expect((await storage.endpoints.find(_id))?.after).toBe(41)
  expect(posted.filter((id) => id === 'evt_41')).toHaveLength(1)
  expect(posted.indexOf('evt_41')).toBeGreaterThan(posted.indexOf('evt_1'))
  expect(await storage.retries.list(_id, { limit: 10 })).toEqual([])
})

it.each([1, 2])('posts what another run left to a retry after its read %i', async (number) => {
  const { storage, _id, posted, runOf } = await openRuns()
  const other = runOf(() => 0)
  let reads = 0
  const run = runOf(Date.now, {
    async onRead() {
      reads += 1
      if (reads === number) await other()
    },
  })
  await run()
  expect((await storage.endpoints.find(_id))?.after).toBe(41)
  expect(posted).toContain('evt_41')
  expect(posted.indexOf('evt_41')).toBeGreaterThan(posted.indexOf('evt_1'))
  expect(await storage.retries.list(_id, { limit: 10 })).toEqual([])
})

it('waits with a retry for an event that the walk has not reached', async () => {
  const { storage, _id, posted, runOf } = await openRuns()
  await storage.endpoints.update(_id, {}, { after: 41 })
  await storage.retries.removeOf(_id)
  await storage.retries.put({ endpoint: _id, subject: 'one', event: 50, attempts: 1, dueAt: 1 })
  const from = Date.now()
  const result = await runOf(Date.now)()
  expect(result?.dueAt).toBeGreaterThanOrEqual(from + 1_000)
  expect(posted).toEqual([])
})

it('replays nothing that the walk has not posted yet', async () => {
  const { storage, _id, posted, runOf } = await openRuns()
  await storage.retries.removeOf(_id)
  await storage.endpoints.update(_id, {}, { after: 0, replayAfter: 39, replayTo: 41 })
  await runOf(Date.now)()
  const numbers = posted.map((id) => Number(id.slice('evt_'.length)))
  const first = [...new Set(numbers)]
  expect(first.slice(-2)).toEqual([40, 41])
  expect(numbers.filter((number) => number > 39).toSorted()).toEqual([40, 40, 41, 41])
  expect(await storage.endpoints.find(_id)).toMatchObject({ after: 41, replayAfter: 0, replayTo: 0 })
})

it('goes on with a replay that an admin asked for again meanwhile', async () => {
  const { storage, _id, posted, runOf } = await openRuns()
  await storage.retries.removeOf(_id)
  await storage.endpoints.update(_id, {}, { after: 41, replayAfter: 39, replayTo: 41 })
  const run = runOf(Date.now, {
    async onPost(id) {
      if (id === 'evt_41') await storage.endpoints.update(_id, { version: 1 }, { version: 2 })
    },
  })
  await run()
  expect(posted.toSorted()).toEqual(['evt_40', 'evt_40', 'evt_41', 'evt_41'])
})

it('leaves nothing of an endpoint that is removed during a post', async () => {
  const storage = openSqlite(':memory:')
  onTestFinished(() => storage.close())
  const endpoint = { ...endpointRecord(1), after: 0, types: [] }
  const { _id } = endpoint
  await storage.endpoints.create(endpoint, 1)
  const deliver = createWebhookHandler({
    storage: {
      ...{ endpoints: storage.endpoints, retries: storage.retries, deliveries: storage.deliveries },
      events: extended(storage.events, { after: async (after) => [record(1)].slice(after) }),
    },
    events: { toEvent: async ({ number: id, type }) => ({ id, type, at: '', data: {} }) },
    async post() {
      await storage.endpoints.remove(_id)
      return { ...TAKEN, status: 500 }
    },
    notifyDisabled: async () => {},
    log: { warn() {} },
    stop: new AbortController().signal,
    now: Date.now,
  })
  const job = { ...webhookJob(_id, 0), leaseUntil: 0, attempts: 0 }
  expect(await deliver({ job, now: 0, save: async () => {} } as unknown as JobRun)).toBeNull()
  expect(await storage.retries.list(_id, { limit: 10 })).toEqual([])
  expect(await storage.deliveries.page(_id, { before: undefined, limit: 10 })).toEqual([])
})

it('gives up no event of an endpoint that takes a few events each second', async () => {
  const storage = openSqlite(':memory:')
  onTestFinished(() => storage.close())
  const endpoint = { ...endpointRecord(1), after: 0, types: [] }
  const { _id } = endpoint
  await storage.endpoints.create(endpoint, 1)
  const records = Array.from({ length: 100 }, (_, index) => record(index + 1, `visitor ${index + 1}`))
  let now = 0
  let second = 0
  let takenInSecond = 0
  const taken = new Set<string>()
  const deliver = createWebhookHandler({
    storage: {
      ...{ endpoints: storage.endpoints, retries: storage.retries, deliveries: storage.deliveries },
      events: extended(storage.events, {
        after: async (after, limit) => records.slice(after, after + limit),
        afterOf: async (subject, after, limit) =>
          records.filter(({ number, clientId }) => number > after && clientId === subject).slice(0, limit),
      }),
    },
    events: { toEvent: async ({ number: id, type }) => ({ id, type, at: '', data: {} }) },
    async post(_endpoint, { id }) {
      now += 5
      if (second !== Math.floor(now / 1_000)) takenInSecond = 0
      second = Math.floor(now / 1_000)
      if (takenInSecond === 3) return { ...TAKEN, status: 429 }
      takenInSecond += 1
      taken.add(id)
      return TAKEN
    },
    notifyDisabled: async () => {},
    log: { warn() {} },
    stop: new AbortController().signal,
    now: () => now,
  })
  const job = { ...webhookJob(_id, 0), leaseUntil: 0, attempts: 0 }
  const isLeft = async () =>
    (await storage.endpoints.find(_id))?.after !== records.length ||
    (await storage.retries.list(_id, { limit: 1 })).length > 0
  while (await isLeft()) {
    const result = await deliver({ job, now, save: async () => {} } as unknown as JobRun)
    now = Math.max(now, result?.dueAt ?? 0)
  }
  expect(taken.size).toBe(records.length)
})

it('is scheduled at the start of a restored store, in which no event is new', async () => {
  const storage = openSqlite(':memory:')
  const endpoint = { ...endpointRecord(1), after: 0, types: [] }
  await storage.endpoints.create(endpoint, 1)
  await storage.retries.put({ endpoint: endpoint._id, subject: 'one', event: 1, attempts: 1, dueAt: 1 })
  const scheduled: string[] = []
  const { start, stop } = createWebhooks({
    ...{ storage, hosts: [], mailDisabled: null, now: () => 1, events: {} as Events, seal: {} as Seal },
    jobs: { handle() {}, schedule: async ({ key }) => void scheduled.push(key) },
  })
  onTestFinished(async () => {
    stop()
    await storage.close()
  })
  start({ warn() {} })
  await vi.waitFor(() => expect(scheduled).toEqual([webhookJob(endpoint._id, 1).key]), { timeout: 5_000 })
})
