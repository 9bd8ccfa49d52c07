import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newClientId } from '../../test/build-app.ts'
import type { Storage } from '../storage/model/storage.ts'
import { openStores } from '../storage/open-storage.ts'
import { createRests, deriveParts, sumDay } from './derive.ts'

const MESSAGES = 8_000
let dataDir: string
let storage: Storage

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'derive-'))
  storage = (await openStores({ dataDir })).storage
})
afterEach(async () => {
  await storage.close()
  rmSync(dataDir, { recursive: true })
})

it('lets others in while it derives a long conversation', async () => {
  const clientId = newClientId()
  const append = (_: unknown, n: number) =>
    storage.messages.append({
      clientId,
      senderId: clientId,
      message: 'Hello',
      nonce: `nonce-${n}`,
      at: n * 1_000,
    })
  await Promise.all(Array.from({ length: MESSAGES }, append))
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  count()
  const history = await storage.reports.history(clientId)
  isOver = true
  expect(history?.messages.map(({ seq }) => seq)).toEqual(Array.from({ length: MESSAGES }, (_, n) => n + 1))
  expect(turns).toBeGreaterThanOrEqual(MESSAGES / 1_000)

  const at = { periods: [], now: MESSAGES * 1_000, mayRest: createRests() }
  expect(await deriveParts(storage.reports, [clientId], at)).toEqual([])
  const parts = (await storage.reports.partsOf(clientId)).map(({ data }) => JSON.parse(data).part)
  expect(parts.reduce((sum, { messagesIn }) => sum + messagesIn, 0)).toBe(MESSAGES)

  const [day] = await storage.reports.dirtyDays(1)
  if (day === undefined) throw new Error('no day is marked')
  let rests = 0
  await sumDay(storage.reports, day, async () => {
    rests += 1
  })
  expect(rests).toBe(day.dirtyCount)
})
