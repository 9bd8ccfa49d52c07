import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { newId } from '../storage/model/ids.ts'
import type { ReportRepository } from '../storage/model/reports/report-tables.ts'
import { extended, type Storage } from '../storage/model/storage.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { createRests, sumDay } from './derive.ts'
import { createDeriver } from './deriver.ts'
import { createReportUseCases } from './report-use-cases.ts'

const NOW = Date.UTC(2026, 10, 5)
const DAYS = ['2026-11-02', '2026-11-04']
const [FIRST, SECOND] = ['a'.repeat(20), 'b'.repeat(20)] as const

let storage: Storage
beforeEach(async () => {
  storage = openSqlite(':memory:')
  for (const [index, clientId] of [FIRST, SECOND].entries()) {
    const at = Date.parse(DAYS[index] as string)
    await storage.messages.append({ clientId, senderId: clientId, message: 'Hello', nonce: newId(), at })
  }
})
afterEach(() => {
  vi.useRealTimers()
  return storage.close()
})

/** `calls` replaces some of the repository. */
function open(calls: (reports: ReportRepository) => Partial<ReportRepository>) {
  const watched = { ...storage, reports: extended(storage.reports, calls(storage.reports)) }
  const deriver = createDeriver({ storage: watched, now: () => NOW, onPurge: () => reports.forgetSums() })
  const reports = createReportUseCases({
    storage: watched,
    settings: { current: async () => ({ hours: null }) as never },
    limits: { take: async () => null },
    team: { list: async () => ({ admins: [] }) as never },
    visitorsOnline: () => null,
    ...{ deriver, now: () => NOW },
  })
  const erase = (clientId: string) =>
    deriver.keepFigures(clientId, () => storage.conversations.erase(clientId))
  return { deriver, reports, conversations: { erase } }
}

it('leaves no sums with labels in memory, of any day', async () => {
  const read: string[] = []
  const { deriver, reports, conversations } = open(({ day }) => ({
    async day(name) {
      read.push(name)
      return day(name)
    },
  }))
  const report = () => reports.report({ userId: 'x' } as never, { from: '2026-11-01', to: '2026-11-05' })
  await deriver.derive()
  await report()
  expect(read).toEqual(DAYS)
  await report()
  expect(read).toHaveLength(2)
  await conversations.erase(SECOND)
  await deriver.derive()
  read.length = 0
  await report()
  expect(read).toEqual(DAYS)
  await deriver.close()
})

it('purges again when a conversation is erased during a purge', async () => {
  let purges = 0
  const { deriver, conversations } = open(({ purge }) => ({
    async purge() {
      purges += 1
      if (purges === 1) await conversations.erase(SECOND)
      await purge()
    },
  }))
  await deriver.derive()
  await conversations.erase(FIRST)
  await deriver.derive()
  await deriver.derive()
  expect(purges).toBe(2)
  await deriver.close()
})

it('purges once the days of an erased conversation are marked', async () => {
  let purges = 0
  let hold = false
  const { deriver, conversations } = open(({ purge, mark }) => ({
    async purge() {
      purges += 1
      await purge()
    },
    async mark(day) {
      // Another batch comes first.
      if (hold) {
        hold = false
        await deriver.derive()
        purges = 0
      }
      return mark(day)
    },
  }))
  await deriver.derive()
  hold = true
  await conversations.erase(FIRST)
  await deriver.derive()
  expect(purges).toBe(1)
  await deriver.close()
})

it('purges soon, although the rounds before took long', async () => {
  vi.useFakeTimers()
  // Vitest replaces the global timer, not the one of node:timers/promises.
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  // In steps, in which the store's own work ends.
  const pass = async (seconds: number) => {
    for (let n = 0; n < seconds * 20; n++) await vi.advanceTimersByTimeAsync(50)
  }
  let purges = 0
  let erased: Promise<unknown> | undefined
  const { deriver, conversations } = open(({ setProgress, purge }) => ({
    async setProgress(...args) {
      if (purges === 0 && erased === undefined) await wait(1_000)
      return setProgress(...args)
    },
    async purge() {
      purges += 1
      if (purges === 1) erased = conversations.erase(SECOND)
      await wait(2_000)
      await purge()
    },
  }))
  deriver.changed(FIRST)
  await pass(3)
  deriver.changed(SECOND)
  // The round of the second one would wait for half a minute.
  await pass(17)
  expect(purges).toBe(0)
  erased = conversations.erase(FIRST)
  await pass(12)
  await erased
  expect(purges).toBe(2)
  await deriver.close()
})

it.each([
  ['died behind its erase', () => Promise.reject(new Error('killed')), false],
  ['began it, and another finished it', async () => false, true],
])('marks the days when a process %s', async (_what, end, isSummed) => {
  const { deriver } = open(() => ({}))
  await deriver.derive()
  const erase = async () => {
    await storage.conversations.erase(FIRST)
    // Another node makes the sums before the erase ends.
    if (isSummed)
      for (const day of await storage.reports.dirtyDays(10)) await sumDay(storage.reports, day, createRests())
    return end()
  }
  await deriver.keepFigures(FIRST, erase).catch(() => {})
  const dirty = await storage.reports.dirtyDays(10)
  expect(dirty.map(({ day }) => day)).toEqual([DAYS[0]])
  await deriver.close()
})

it('marks the days of a conversation that only another process has followed', async () => {
  const { deriver } = open(() => ({}))
  await deriver.keepFigures(FIRST, () => storage.conversations.erase(FIRST))
  const dirty = await storage.reports.dirtyDays(10)
  expect(dirty.map(({ day }) => day)).toEqual([DAYS[0]])
  await deriver.close()
})
