import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { noteServerDate, serverNow, toServerTime } from './server-clock.ts'

const TRUE_TIME = Date.UTC(2026, 5, 15, 12)
const WEEK = 7 * 86_400_000

/** An answer arrives while this browser's clock is `ahead` by so much. */
function answerWithClock(ahead: number, date: string | null = new Date(TRUE_TIME).toUTCString()) {
  vi.setSystemTime(TRUE_TIME + ahead)
  noteServerDate(date)
}

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  answerWithClock(0)
  vi.useRealTimers()
})

it('tells the time of the server while the clock of the browser is wrong', () => {
  for (const ahead of [3 * WEEK, -3 * WEEK, 0]) {
    answerWithClock(ahead)
    expect(serverNow()).toBe(TRUE_TIME)
    expect(toServerTime(TRUE_TIME + ahead - 5_000)).toBe(TRUE_TIME - 5_000)
  }
})

it('trusts the clock of the browser after a slow answer', () => {
  answerWithClock(20_000)
  expect(serverNow()).toBe(TRUE_TIME + 20_000)
})

it('keeps what it knows when an answer has no date', () => {
  answerWithClock(3 * WEEK)
  answerWithClock(3 * WEEK, null)
  answerWithClock(3 * WEEK, 'some day')
  expect(serverNow()).toBe(TRUE_TIME)
})
