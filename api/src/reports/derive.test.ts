import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newClientId } from '../../test/build-app.ts'
import type { Storage } from '../storage/model/storage.ts'
import { openStores } from '../storage/open-storage.ts'
import type { DayFigures } from './day-figures.ts'
import { createRests, deriveParts, sumDay } from './derive.ts'
import { createDeriver } from './deriver.ts'

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

function append(clientId: string, n: number, at: number) {
  return storage.messages.append({ clientId, senderId: clientId, message: 'Hello', nonce: `nonce-${n}`, at })
}

it('lets others in while it derives a long conversation', async () => {
  const clientId = newClientId()
  await Promise.all(Array.from({ length: MESSAGES }, (_, n) => append(clientId, n, n * 1_000)))
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

it.each([
  ['lets others in while it makes the figures', false],
  ['keeps the figures of a message that is stored meanwhile', true],
])('erases a conversation of 1,000 quarter-hours, and %s', async (_what, isWritten) => {
  const clientId = newClientId()
  const messages = 1_000
  const atOf = (n: number) => n * 900_000
  await Promise.all(Array.from({ length: messages }, (_, n) => append(clientId, n, atOf(n))))
  const at = { periods: [], now: Date.now(), mayRest: createRests() }
  expect(await deriveParts(storage.reports, [clientId], at)).toEqual([])

  const erasing = storage.conversations.erase(clientId)
  if (isWritten) await append(clientId, messages, atOf(messages))
  let turns = 0
  for (; (await storage.conversations.find(clientId))?.seq !== 0; turns++) await nextTurn()
  expect(await erasing).toBe(true)
  if (!isWritten) expect(turns).toBeGreaterThanOrEqual(messages / 250)

  // The days are marked by the comparison, which reads the kept figures in pages.
  const deriver = createDeriver({ storage, now: Date.now })
  await deriver.derive()
  const days = await Promise.all(
    (await storage.reports.days('1970-01-01', messages)).map(({ day }) => storage.reports.day(day)),
  )
  const sums = days.flatMap((day) => Object.values(JSON.parse(day?.data ?? '{}') as DayFigures))
  const counts = sums.flatMap(({ groups }) => groups.map(({ figures }) => figures.messagesIn ?? 0))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(messages + (isWritten ? 1 : 0))
  await deriver.close()
})
