import { expect, it } from 'vitest'
import { monthLabel } from './month-label.ts'

it('names the month and year of a time in UTC, as Intl does', () => {
  const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  const days = Array.from({ length: 400 }, (_, day) => Date.UTC(2025, 11, 1, 23, 59) + day * 86_400_000)
  expect(days.map(monthLabel)).toEqual(days.map((day) => month.format(day)))
})
