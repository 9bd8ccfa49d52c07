import { durationText, shown } from '@proctorpass/shared/duration-text'
import type { Report, ReportFigures } from '@proctorpass/shared/schemas/report'
import { describe, expect, it } from 'vitest'
import { changeText, nowText, sentencesOf, spanText, waitedText, weekdayText } from './report-text.ts'

const NONE = { n: 0, median: null, p90: null }
const EMPTY: ReportFigures = {
  ...{ conversations: 0, episodes: 0, resolved: 0, missed: 0, messagesIn: 0, messagesOut: 0 },
  ...{ firstWait: NONE, wait: NONE, resolution: NONE },
  ratings: { n: 0, mean: null, scores: [0, 0, 0, 0, 0] },
}

function reportOf(totals: Partial<ReportFigures>, rest: Partial<Report> = {}): Report {
  return {
    ...{ from: '2026-03-02', to: '2026-03-03', zone: 'UTC', time: 'clock', indexing: false },
    ...{ heat: [], slow: [], admins: [], labels: [], sites: [], previous: { ...EMPTY, days: [] } },
    days: [{ date: '2026-03-02', ...EMPTY }],
    totals: { ...EMPTY, ...totals },
    ...rest,
  }
}

describe('the text of a report', () => {
  it.each([
    [null, '–'],
    [0.2, 'under 1 s'],
    [48.3, '48 s'],
    [740, '12 min'],
    [9_000, '2.5 h'],
    [260_000, '3.0 days'],
  ])('writes %s seconds as %s', (seconds, text) => expect(durationText(seconds)).toBe(text))

  it('compares with the days before', () => {
    expect(changeText(12, 10)).toBe('up 20%')
    expect(changeText(9, 10)).toBe('down 10%')
    expect(changeText(10, 10)).toBe('no change')
    expect(changeText(10, 0)).toBeNull()
  })

  it('shows no median of fewer than five waits', () => {
    expect(shown({ n: 4, median: 60, p90: 90 }, 'median')).toBeNull()
    expect(shown({ n: 5, median: 60, p90: 90 }, 'median')).toBe(60)
    const few = reportOf({ messagesIn: 4, episodes: 4, firstWait: { n: 4, median: 60, p90: 90 } })
    expect(sentencesOf(few).join(' ')).not.toMatch(/min|\d s/)
  })

  it('tells the missed ones, the waits of visitors, and the changes', () => {
    const firstWait = { n: 20, median: 720, p90: 3_600 }
    const previous = { ...EMPTY, firstWait: { n: 9, median: 300, p90: 900 }, days: [] }
    const days = ['2026-03-02', '2026-03-03'].map((date, missed) => ({ date, ...EMPTY, missed: 2 * missed }))
    const report = reportOf({ messagesIn: 9, episodes: 9, missed: 2, firstWait }, { previous, days })
    expect(sentencesOf(report)).toEqual([
      "2 of 9 conversations weren't answered within a day, 2 of them on Tuesday, March 3.",
      'Half of the visitors got a first answer within 12 min, and nine out of ten within 60 min. In the previous 2 days, the median was 5 min.',
    ])
  })

  it('says that visitors had an answer at once', () => {
    const firstWait = { n: 6, median: 0.1, p90: 0.2 }
    expect(sentencesOf(reportOf({ messagesIn: 6, firstWait }))).toEqual([
      'Half of the visitors got a first answer within 1 s, and nine out of ten within 1 s.',
    ])
  })

  it('names the two hours in which most waited long', () => {
    const slow = Array.from({ length: 7 }, () => new Array<number>(24).fill(0))
    ;(slow[1] as number[]).splice(18, 2, 3, 4)
    const report = reportOf({ messagesIn: 9 }, { slow })
    expect(sentencesOf(report)).toEqual([
      'On Tuesday between 6 and 8 PM, 7 visitors waited more than 15 minutes.',
    ])
    ;(slow[1] as number[]).splice(18, 2, 1, 1)
    expect(sentencesOf(report)).toEqual([])
  })

  it.each([
    [0, 2, 'midnight and 2 AM'],
    [9, 11, '9 and 11 AM'],
    [10, 12, '10 AM and noon'],
    [11, 13, '11 AM and 1 PM'],
    [12, 14, 'noon and 2 PM'],
    [22, 24, '10 PM and midnight'],
  ])('writes the hours from %s to %s as %s', (from, to, text) => expect(spanText(from, to, 'and')).toBe(text))

  it('names the busiest two hours', () => {
    const heat = Array.from({ length: 7 }, () => new Array<number>(24).fill(1))
    ;(heat[1] as number[])[18] = 40
    const report = reportOf({ messagesIn: 207 }, { heat })
    expect(sentencesOf(report)).toEqual([
      'Visitors write most on Tuesday between 5 and 7 PM: 41 of 207 messages.',
    ])
  })
})

const SINCE = '2026-03-03T10:00:00.000Z'
const after = (seconds: number) => Date.parse(SINCE) + seconds * 1_000

describe('the text of now', () => {
  it.each([
    [-5, 'under 1 min'],
    [59, 'under 1 min'],
    [60, '1 min'],
    [119, '1 min'],
    [120, '2 min'],
    [3 * 3_600 + 1_800, '3.5 h'],
  ])('writes a wait of %s s as %s', (seconds, text) => expect(waitedText(SINCE, after(seconds))).toBe(text))

  it.each([
    [0, 'No one is waiting for an answer.'],
    [1, '1 conversation is waiting for an answer.'],
    [52, '52 conversations are waiting for an answer.'],
  ])('announces %s', (count, text) => {
    expect(nowText({ waiting: { count, longestSince: null, conversations: [] } })).toBe(text)
  })

  it('compares with the same weekday from five waits on', () => {
    const of = (n: number) => weekdayText({ date: '2026-03-03', weekday: { n, median: 480, p90: 900 } })
    expect(of(5)).toBe('usually 8 min on Tuesdays')
    expect(of(4)).toBe('too few answers on Tuesdays')
  })
})
