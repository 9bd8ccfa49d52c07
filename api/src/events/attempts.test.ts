import { afterEach, beforeEach, expect, it } from 'vitest'
import { endpointRecord } from '../../test/storage-contract/endpoints.ts'
import type { EventRecord } from '../storage/model/events.ts'
import type { Storage } from '../storage/model/storage.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { createAttempts } from './attempts.ts'

const record = (number: number): EventRecord => ({
  ...{ _id: `contact.created ${number}`, number, type: 'contact.created', at: 1, clientId: null, n: 0 },
})

let storage: Storage
beforeEach(() => {
  storage = openSqlite(':memory:')
})
afterEach(() => storage.close())

it('leaves an endpoint enabled that takes another event while one fails', async () => {
  const endpoint = endpointRecord(1)
  await storage.endpoints.create(endpoint, 1)
  const { postEvent } = createAttempts({
    storage,
    events: { toEvent: async ({ number: id, type }) => ({ id, type, at: '', data: {} }) },
    post: async (_endpoint, { id }) => {
      const status = id === 'evt_1' ? 500 : 200
      return { status, error: null, answer: '', pauseMs: null }
    },
    notifyDisabled: async () => {},
    log: { warn() {} },
    stop: new AbortController().signal,
    now: Date.now,
  })
  await postEvent(endpoint, record(9), 1)
  // The failure comes first, and the success while it is stored.
  await Promise.all([1, 2, 3].map((number) => postEvent(endpoint, record(number), 1)))
  expect(await storage.endpoints.list()).toMatchObject([{ disabledBy: null, failingSince: null }])
})
