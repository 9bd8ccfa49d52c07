import { expect, it } from 'vitest'
import { hoursPeriods, type ReportEntry, type ReportHistory, reportParts } from './report-parts.ts'

const VISITOR = 'Visitor0000000000001'
const ADMIN = 'a'.repeat(24)
const HOUR = 3_600_000
const NOW = 60 * HOUR

function partsOf(senders: [senderId: string, at: number][], entries: ReportEntry[]) {
  const history: ReportHistory = {
    ...{ clientId: VISITOR, epoch: 'epoch', seq: senders.length, n: entries.length },
    group: { siteId: null, assigneeId: null, labels: [] },
    isSpam: false,
    messages: senders.map(([senderId, createdAt], index) => ({ seq: index + 1, senderId, createdAt })),
    entries,
  }
  const { parts, dueAt } = reportParts(history, [{ since: 0, hours: null }], NOW)
  const all = [...parts.values()]
  return {
    dueAt,
    waits: all.flatMap(({ waits }) => waits.map(({ at, clock, isFirst }) => ({ at, clock, isFirst }))),
    missed: all.flatMap(({ episodes }) => episodes.map(({ missed }) => missed)),
  }
}
const settled = (afterSeq: number, upTo: number | null): ReportEntry => ({ afterSeq, at: 0, is: { upTo } })
const resolve = (afterSeq: number): ReportEntry => ({ afterSeq, at: NOW, is: 'resolve' })

it('a message that needs no answer does not wait and is not missed, also once it is resolved', () => {
  expect(partsOf([[VISITOR, 0]], [])).toEqual({ dueAt: null, waits: [], missed: [true] })
  expect(partsOf([[VISITOR, 0]], [settled(1, 1)])).toEqual({ dueAt: null, waits: [], missed: [false] })
  expect(partsOf([[VISITOR, 0]], [settled(1, 1), resolve(1)])).toMatchObject({ missed: [false] })
  expect(partsOf([[VISITOR, 0]], [resolve(1)])).toMatchObject({ missed: [true] })
})

it('a later message waits since its own time, and so does one that the admin had not seen', () => {
  const thanks: [string, number] = [VISITOR, 0]
  const question: [string, number] = [VISITOR, 50 * HOUR]
  const answer: [string, number] = [ADMIN, 51 * HOUR]
  const waits = [{ at: 50 * HOUR, clock: HOUR, isFirst: true }]
  expect(partsOf([thanks, question, answer], [settled(1, 1)])).toMatchObject({ waits, missed: [false] })
  expect(partsOf([thanks, question, answer], [settled(2, 1)])).toMatchObject({ waits, missed: [false] })
  expect(partsOf([thanks, question], [settled(1, 1)])).toMatchObject({ dueAt: 74 * HOUR, missed: [false] })
})

it('a message waits again since its own time when the mark is taken back', () => {
  const entries = [settled(1, 1), settled(1, null)]
  expect(partsOf([[VISITOR, 0]], entries)).toMatchObject({ missed: [true] })
  expect(
    partsOf(
      [
        [VISITOR, 0],
        [ADMIN, 2 * HOUR],
      ],
      entries,
    ),
  ).toMatchObject({ waits: [{ at: 0, clock: 2 * HOUR }], missed: [false] })
})

it('hours in a zone that this machine does not know are no hours', () => {
  const hours = (timeZone: string) => ({ timeZone, spans: [], closed: [] })
  const hoursHistory = ['Europe/Berlin', 'Nowhere/X', '+02:00'].map((zone, since) => ({
    since,
    hours: hours(zone),
  }))
  expect(hoursPeriods({ hoursHistory }).map(({ hours }) => hours?.timeZone ?? null)).toEqual([
    'Europe/Berlin',
    null,
    null,
  ])
  expect(hoursPeriods({ hours: hours('Nowhere/X') })).toEqual([{ since: 0, hours: null }])
  expect(hoursPeriods(null)).toEqual([{ since: 0, hours: null }])
})
