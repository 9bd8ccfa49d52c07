import { describe, expect, it } from 'vitest'
import { hoursLines } from './chat-hours.tsx'

const span = (day: number, from: string, to: string) => ({ day, from, to })
const hours = (...spans: ReturnType<typeof span>[]) => ({ timeZone: 'America/New_York', spans, closed: [] })

describe('opening hours in words', () => {
  it('are one line for days in a row with the same times', () => {
    const weekdays = [1, 2, 3, 4, 5].map((day) => span(day, '09:00', '17:00'))
    expect(hoursLines(hours(...weekdays, span(7, '10:00', '12:00')))).toEqual([
      'Monday to Friday: 09:00–17:00',
      'Sunday: 10:00–12:00',
      'America/New York',
    ])
  })

  it('name each span of a day, in order', () => {
    expect(hoursLines(hours(span(2, '14:00', '18:00'), span(2, '08:00', '12:00')))).toEqual([
      'Tuesday: 08:00–12:00, 14:00–18:00',
      'America/New York',
    ])
  })

  it('say when the chat is always open, and when it never is', () => {
    expect(hoursLines(null)).toEqual(['Write any time'])
    expect(hoursLines(hours())).toEqual(['The chat is closed'])
  })
})
