import type { Report, ReportDurations, ReportQuery } from '@proctorpass/shared/schemas/report'
import { describe, expect, it } from 'vitest'
import { createRests, markDirty, sumDay } from '../../src/reports/derive.ts'
import { createDeriver } from '../../src/reports/deriver.ts'
import { createReportUseCases, type ReportUseCases } from '../../src/reports/report-use-cases.ts'
import type { HoursPeriod, ReportEntry, ReportHistory } from '../../src/storage/model/reports/report-parts.ts'
import type { ReportDay } from '../../src/storage/model/reports/report-tables.ts'
import { extended } from '../../src/storage/model/storage.ts'
import { createRandom, type Random } from '../faults/random.ts'
import { localTime, type Recount, recount } from '../report-recount.ts'
import type { StoreUnderTest } from './store-under-test.ts'

const MINUTE_MS = 60_000
/** With the change of the clocks in Canada and in Europe. */
const START = Date.UTC(2026, 2, 1)
const ADMINS = ['a', 'b'].map((letter) => letter.repeat(24))
const IDS = Array.from({ length: 6 }, (_, index) => `Reported${String(index).padStart(12, '0')}`)
const ZONES = ['Asia/Kathmandu', 'America/St_Johns', 'Europe/Zurich']
const SPANS = [1, 2, 3, 6].map((day) => ({ day, from: '08:15', to: '17:30' }))
const PERIODS: HoursPeriod[] = [
  { since: 0, hours: null },
  { since: Date.UTC(2026, 2, 9), hours: { timeZone: 'Europe/Zurich', spans: SPANS, closed: ['2026-03-16'] } },
  { since: Date.UTC(2026, 2, 27), hours: { timeZone: 'America/St_Johns', spans: SPANS, closed: [] } },
]
const RANGE = { from: '2026-03-03', to: '2026-04-05' }
/** The same number of days before RANGE. */
const BEFORE = { from: '2026-01-28', to: '2026-03-02' }

type Model = ReportHistory & {
  messages: { seq: number; senderId: string; createdAt: number }[]
  entries: ReportEntry[]
  isErased?: boolean
  isResolved: boolean
  isRated: boolean
}

/** Random conversations: the figures are those of a recount, in every zone and by both clocks. */
export function describeReports(store: StoreUnderTest): void {
  const { storage, append, reopen } = store

  describe('the figures of reports', () => {
    it.each([21, 23])('are those of a recount, seed %i', async (seed) => {
      const random = createRandom(seed, 'reports')
      await storage.documents.write('settings', { hours: null, hoursHistory: PERIODS }, 0)
      let at = START
      const deriver = createDeriver({ storage, now: () => at })
      // Messages are not followed: comparing finds them.
      storage.onStored((change) => {
        if (change.kind !== 'message') deriver.stored(change)
      })
      const erase = (clientId: string) =>
        deriver.keepFigures(clientId, () => storage.conversations.erase(clientId))
      const models = new Map(IDS.map((clientId) => [clientId, emptyModel(clientId)]))
      const erased: Model[] = []
      let zone = ''
      let reports = openReports()
      for (let step = 0; step < 150; step++) {
        at += random.pick([0, 15, 30, 300, 900]) * MINUTE_MS
        const clientId = random.pick(IDS)
        const model = models.get(clientId) as Model
        await act(model, random)
        if (random.chance(0.03)) await deriver.derive()
        if (step % 75 !== 74) continue
        await deriver.derive()
        await compare()
      }
      // Rebuilt from nothing, by another process.
      await reopen()
      reports = openReports()
      await storage.reports.clear()
      await createDeriver({ storage, now: () => at }).derive()
      await compare()
      await deriver.close()

      /** The same ones between two changes, because they keep sums. */
      function openReports(): ReportUseCases {
        return createReportUseCases({
          storage,
          settings: { current: async () => ({ hours: { timeZone: zone } }) as never },
          limits: { take: async () => null },
          deriver: { settle: async () => true },
          team: { list: async () => ({ admins: [] }) },
          visitorsOnline: () => null,
          now: () => at,
        })
      }

      async function compare(): Promise<void> {
        const all = [...models.values(), ...erased]
        for (zone of ZONES) {
          const { firstWait } = await reports.now({ userId: 'x' } as never)
          const today = localTime(at, zone).date
          const firstWaitsOf = (date: string) => {
            const options = { from: date, to: date, zone, time: 'clock', periods: PERIODS, now: at } as const
            return recount(all, options).firstWait
          }
          const weekday = [7, 14, 21, 28].map((days) => {
            const date = new Date(Date.parse(today) - days * 24 * 60 * MINUTE_MS)
            return date.toISOString().slice(0, 10)
          })
          expect(firstWait).toMatchObject({ date: today, zone })
          expectDurations(firstWait, firstWaitsOf(today))
          expectDurations(firstWait.weekday, weekday.flatMap(firstWaitsOf))
          for (const time of ['clock', 'open'] as const) {
            const query = { ...RANGE, zone, time }
            const options = { ...query, periods: PERIODS, now: at }
            await expectBefore(await expectReport(query, recount(all, options)), query)
            const labelled = all.filter(({ group }) => group.labels.includes('Refund'))
            await expectReport({ ...query, label: 'refund' }, recount(labelled, options))
            const ofAdmin = all.filter(({ group }) => group.assigneeId === ADMINS[0])
            await expectReport({ ...query, assignee: ADMINS[0] as string }, recount(ofAdmin, options))
          }
        }
      }

      async function expectReport(query: ReportQuery, sums: Recount): Promise<Report> {
        const report = await reports.report({ userId: 'x' } as never, query)
        expectSums(report, sums)
        return report
      }

      async function expectBefore({ previous }: Report, query: ReportQuery): Promise<void> {
        const before = await reports.report({ userId: 'x' } as never, { ...query, ...BEFORE })
        const { days, ...totals } = previous
        expect(days).toEqual(before.days)
        expect(totals).toEqual(before.totals)
      }

      async function act(model: Model, by: Random): Promise<void> {
        const { clientId } = model
        const kind = by.integer(0, 21)
        if (kind < 9 || model.messages.length === 0) {
          await append('Hello', { clientId, at })
          model.messages.push({ seq: model.messages.length + 1, senderId: clientId, createdAt: at })
          model.isResolved = false
        } else if (kind < 14) {
          const senderId = by.pick([...ADMINS, `key:${'c'.repeat(24)}`])
          await append('Answer', { clientId, senderId, at })
          model.messages.push({ seq: model.messages.length + 1, senderId, createdAt: at })
          if (!senderId.startsWith('key:') && model.group.assigneeId === null) {
            model.group = { ...model.group, assigneeId: senderId }
          }
        } else if (kind < 16) {
          if (model.isSpam) return
          const status = model.isResolved ? 'open' : 'resolved'
          // By a rule, or by an admin.
          const outcome = await storage.inbox.change(
            clientId,
            { status },
            { by: by.pick([null, 'a'.repeat(24)]), at },
          )
          expect(outcome.outcome).toBe('stored')
          model.isResolved = !model.isResolved
          if (!model.isResolved) return
          model.entries.push({ afterSeq: model.messages.length, at, is: 'resolve' })
          model.isRated = false
        } else if (kind === 16) {
          const snoozedUntil = at + 5 * MINUTE_MS
          if (model.isResolved || model.isSpam) return
          await storage.inbox.change(
            clientId,
            { status: 'snoozed', snoozedUntil },
            { by: 'a'.repeat(24), at },
          )
        } else if (kind === 17) {
          const labels = by.pick([[], ['Refund'], ['Refund', 'VIP']])
          await storage.inbox.change(clientId, { labels }, { by: 'a'.repeat(24), at })
          model.group = { ...model.group, labels }
        } else if (kind === 18) {
          if (!model.isResolved || model.isRated) return
          const score = by.integer(1, 5)
          const rating = await storage.inbox.rate(clientId, { score, words: null }, { at, keyHash: null })
          expect(rating.outcome).toBe('stored')
          model.isRated = true
          model.entries.push({ afterSeq: model.messages.length, at, is: { score } })
        } else if (kind === 20) {
          const settled = by.integer(0, 3) > 0
          const upTo = by.integer(1, model.messages.length)
          const change = settled ? { settled, upTo } : { settled }
          const outcome = await storage.inbox.change(clientId, change, { by: 'a'.repeat(24), at })
          if (outcome.outcome !== 'stored') return
          model.entries.push({
            ...{ afterSeq: model.messages.length, at },
            is: outcome.activity[0]?.data as { upTo: number | null },
          })
        } else if (kind === 21) {
          const change = model.isSpam ? ({ spam: false } as const) : ({ status: 'spam' } as const)
          await storage.inbox.change(clientId, change, { by: 'a'.repeat(24), at })
          model.isSpam = !model.isSpam
        } else {
          expect(await erase(clientId)).toBe(true)
          erased.push({ ...model, isErased: true, group: { ...model.group, labels: [] } })
          models.set(clientId, emptyModel(clientId))
        }
      }
    })

    it('are right when another node makes the sums while parts are written', async () => {
      const clientId = IDS[0] as string
      await append('Hello', { clientId, at: START })
      const { reports } = storage
      const slow = extended(reports, {
        async putPart(part, isStored) {
          await markDirty(reports, [part.quarter])
          for (const day of await reports.dirtyDays(10)) await sumDay(reports, day, createRests())
          await reports.putPart(part, isStored)
        },
      })
      const deriver = createDeriver({
        storage: { documents: storage.documents, reports: slow },
        now: () => START,
      })
      await deriver.derive()
      expect((await reports.day('2026-03-01'))?.data).toContain('"messagesIn":1')
      await deriver.close()
    })

    it('are right after a process died between a part and its mark', async () => {
      const clientId = IDS[0] as string
      const { documents, reports } = storage
      await append('Hello', { clientId, at: START })
      const other = createDeriver({ storage, now: () => START })
      await other.derive()
      await append('Hello again', { clientId, at: START })
      let isDead = false
      const dying = extended(reports, {
        async putPart(part, isStored) {
          // Another node makes the sums, then the process dies.
          await markDirty(reports, [part.quarter])
          for (const day of await reports.dirtyDays(10)) await sumDay(reports, day, createRests())
          await reports.putPart(part, isStored)
          isDead = true
        },
        async mark(day) {
          if (isDead) throw new Error('killed')
          return reports.mark(day)
        },
      })
      const dead = createDeriver({ storage: { documents, reports: dying }, now: () => START })
      await expect(dead.derive()).rejects.toThrow()
      await other.derive()
      expect((await reports.day('2026-03-01'))?.data).toContain('"messagesIn":2')
      await other.close()
    })

    it('keep nothing that names an erased conversation', async () => {
      const deriver = createDeriver({ storage, now: () => START })
      // Messages are not followed: comparing finds them.
      storage.onStored((change) => {
        if (change.kind !== 'message') deriver.stored(change)
      })
      const erase = (clientId: string) =>
        deriver.keepFigures(clientId, () => storage.conversations.erase(clientId))
      const clientId = IDS[0] as string
      await append('A secret', { clientId, at: START })
      await storage.inbox.change(clientId, { labels: ['Secret label'] }, { by: 'a'.repeat(24), at: START })
      await deriver.derive()
      await erase(clientId)
      expect(await storage.reports.partsOf(clientId)).toEqual([])
      expect(await storage.reports.progress('', null)).toEqual([])
      const kept = await storage.reports.kept(0, { limit: 10 })
      expect(kept).toHaveLength(1)
      expect(JSON.stringify(kept)).not.toMatch(/Reported|[Ss]ecret/)
      await deriver.derive()
      const day = await storage.reports.day('2026-03-01')
      expect(day?.dirty).toBe('')
      expect(day?.data).toContain('"conversations":1')
      expect(day?.data).not.toMatch(/Reported|[Ss]ecret/)
      await deriver.close()
    })

    it('stay the same of a conversation that is erased before they are derived', async () => {
      const deriver = createDeriver({ storage, now: () => START })
      const [derived, other] = IDS as [string, string]
      const talk = async (clientId: string) => {
        const by = ADMINS[0] as string
        await append('Hello', { clientId, at: START })
        await append('An answer', { clientId, senderId: by, at: START + MINUTE_MS })
        const change = { status: 'resolved', labels: ['Refund'] } as const
        await storage.inbox.change(clientId, change, { by, at: START + 2 * MINUTE_MS })
      }
      await talk(derived)
      await deriver.derive()
      await talk(other)
      await storage.conversations.erase(derived)
      await storage.conversations.erase(other)
      const [one, two] = (await storage.reports.kept(0, { limit: 10 })).map(({ data }) => JSON.parse(data))
      expect(one).toEqual(two)
      expect(one).toMatchObject({
        group: { assigneeId: ADMINS[0], labels: [] },
        figures: { conversations: 1, resolved: 1, messagesIn: 1, messagesOut: 1 },
      })
      await deriver.close()
    })

    it('keep their sums when a day is marked', async () => {
      const deriver = createDeriver({ storage, now: () => START })
      await append('Hello', { clientId: IDS[0] as string, at: START })
      await deriver.derive()
      const { reports } = storage
      const { data, revision } = (await reports.day('2026-03-01')) as ReportDay
      const mark = { day: '2026-03-01', revision: 'another', dirty: '1', dirtyCount: 1 }
      expect(await reports.setDay(mark, 'wrong')).toBe(false)
      expect(await reports.setDay(mark, revision)).toBe(true)
      expect(await reports.mark('2026-03-01')).toEqual(mark)
      expect(await reports.day('2026-03-01')).toEqual({ ...mark, data })
      expect(await reports.mark('2026-03-02')).toBe(null)
      await deriver.close()
    })

    it('find an episode that has waited for a day, without a change', async () => {
      let at = START
      const deriver = createDeriver({ storage, now: () => at })
      await append('Hello', { clientId: IDS[0] as string, at })
      await deriver.derive()
      expect((await storage.reports.day('2026-03-01'))?.data).not.toContain('missed')
      at += 24 * 60 * MINUTE_MS
      await deriver.derive()
      expect((await storage.reports.day('2026-03-01'))?.data).toContain('"missed":1')
      await deriver.close()
    })
  })
}

function emptyModel(clientId: string): Model {
  return {
    ...{ clientId, epoch: '', seq: 0, n: 0, messages: [], entries: [] },
    ...{ isResolved: false, isRated: false, isSpam: false },
    group: { siteId: null, assigneeId: null, labels: [] },
  }
}

/** Compares the totals, the heat map and the senders of a report with a recount. */
function expectSums(report: Report, sums: Recount): void {
  const { firstWait, wait, resolution, scores, heat, slow, senders, ...counts } = sums
  expect(report.totals).toMatchObject(counts)
  for (const [name, exact] of Object.entries({ firstWait, wait, resolution })) {
    expectDurations(report.totals[name as 'wait'], exact)
  }
  expect(report.heat).toEqual(heat)
  expect(report.slow).toEqual(slow)
  const counted = [1, 2, 3, 4, 5].map((score) => scores.filter((of) => of === score).length)
  expect(report.totals.ratings).toMatchObject({ n: scores.length, scores: counted })
  expect(report.admins.map(({ userId }) => userId).sort()).toEqual(Object.keys(senders).sort())
  for (const admin of report.admins) {
    expect(admin.messagesOut).toBe(senders[admin.userId]?.messagesOut)
    expectDurations(admin.wait, senders[admin.userId]?.wait ?? [])
  }
  for (const name of ['episodes', 'missed', 'resolved', 'messagesIn'] as const) {
    expect(report.days.reduce((sum, day) => sum + day[name], 0)).toBe(report.totals[name])
  }
}

function expectDurations({ n, median, p90 }: ReportDurations, exact: readonly number[]): void {
  expect(n).toBe(exact.length)
  if (n === 0) {
    expect([median, p90]).toEqual([null, null])
    return
  }
  const sorted = exact.toSorted((a, b) => a - b)
  const middle = ((sorted[Math.ceil(n / 2) - 1] ?? 0) + (sorted[Math.floor(n / 2)] ?? 0)) / 2
  const nearestRank = sorted[Math.ceil(n * 0.9) - 1] ?? 0
  expect(Math.abs((median ?? 0) - middle)).toBeLessThanOrEqual(0.05 * middle)
  expect(Math.abs((p90 ?? 0) - nearestRank)).toBeLessThanOrEqual(0.05 * nearestRank)
}
