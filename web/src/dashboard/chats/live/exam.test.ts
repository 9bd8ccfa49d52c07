import { describe, expect, it } from 'vitest'
import { examLabel, examTone, isExamSoon } from './exam.ts'

const NOW = Date.UTC(2026, 10, 22, 12)
const HOUR = 3_600_000
const after = (ms: number) => new Date(NOW + ms).toISOString()

describe('examLabel', () => {
  it.each([
    [0, 'Exam now'],
    [-20_000, 'Exam now'],
    [40_000, 'Exam in 1 minute'],
    [59.4 * 60_000, 'Exam in 59 minutes'],
    [59.6 * 60_000, 'Exam in 1 hour'],
    [3 * HOUR - 10_000, 'Exam in 3 hours'],
    [26 * HOUR, 'Exam in 26 hours'],
    [47.4 * HOUR, 'Exam in 47 hours'],
    [47.6 * HOUR, 'Exam in 2 days'],
    [90 * 24 * HOUR, 'Exam in 90 days'],
    [-30 * 60_000, 'Exam 30 minutes ago'],
    [-5 * HOUR, 'Exam 5 hours ago'],
    [-72 * HOUR, 'Exam 3 days ago'],
  ])('of %d ms is %j', (ms, label) => {
    expect(examLabel(after(ms), NOW)).toBe(label)
  })
})

describe('isExamSoon', () => {
  it.each([
    [-1, false],
    [0, true],
    [24 * HOUR, true],
    [24 * HOUR + 1, false],
  ])('of %d ms is %s', (ms, soon) => {
    expect(isExamSoon(after(ms), NOW)).toBe(soon)
  })
})

describe('examTone', () => {
  it.each([
    [-HOUR - 1, null],
    [-HOUR, 'red'],
    [0, 'red'],
    [HOUR, 'red'],
    [HOUR + 1, 'amber'],
    [24 * HOUR, 'amber'],
    [24 * HOUR + 1, null],
  ])('of %d ms is %j', (ms, tone) => {
    expect(examTone(after(ms), NOW)).toBe(tone)
  })
})
