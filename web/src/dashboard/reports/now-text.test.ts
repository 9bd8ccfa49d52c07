import { describe, expect, it } from 'vitest'
import { nowText, waitedText, weekdayText } from './now-text.ts'

const SINCE = '2026-03-03T10:00:00.000Z'
const after = (seconds: number) => Date.parse(SINCE) + seconds * 1_000

describe('the text of now', () => {
  it.each([
    [-5, 'below 1 min'],
    [59, 'below 1 min'],
    [60, '1 min'],
    [119, '1 min'],
    [120, '2 min'],
    [3 * 3_600 + 1_800, '3.5 h'],
  ])('writes a wait of %s s as %s', (seconds, text) => expect(waitedText(SINCE, after(seconds))).toBe(text))

  it.each([
    [0, 'No one waits for an answer.'],
    [1, '1 conversation waits for an answer.'],
    [52, '52 conversations wait for an answer.'],
  ])('announces %s', (count, text) => {
    expect(nowText({ waiting: { count, longestSince: null, conversations: [] } })).toBe(text)
  })

  it('compares with the same weekday from five waits on', () => {
    const of = (n: number) => weekdayText({ date: '2026-03-03', weekday: { n, median: 480, p90: 900 } })
    expect(of(5)).toBe('Tuesdays: 8 min')
    expect(of(4)).toBe('Tuesdays: –')
  })
})
