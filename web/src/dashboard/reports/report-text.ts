import { durationText, shown } from '@proctorpass/shared/duration-text'
import { SLOW_WAIT_MS } from '@proctorpass/shared/limits'
import type { Now, Report } from '@proctorpass/shared/schemas/report'

/** This many waits in two hours of the week are worth a sentence. */
const SLOW_MIN = 3
/** Smaller changes are called "about the same". */
const CHANGE_MIN = 0.1
export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

const NO_CHANGE = 'no change'

/** Returns `up 12%`, `down 3%`, or `no change`, or null if there is nothing to compare. */
export function changeText(now: number | null, before: number | null): string | null {
  if (now === null || before === null || before === 0) return null
  const percent = Math.round((now / before - 1) * 100)
  if (percent === 0) return NO_CHANGE
  return `${percent > 0 ? 'up' : 'down'} ${Math.abs(percent)}%`
}

/** Says what the figures mean, with the most useful sentence first. */
export function sentencesOf({ totals, previous, heat, slow, days }: Report): string[] {
  if (totals.messagesIn + totals.messagesOut === 0) return ['No messages in this period.']
  const sentences: string[] = []
  const { firstWait, missed, episodes } = totals
  if (missed > 0) {
    const worst = days.reduce((most, day) => (day.missed > most.missed ? day : most))
    const when =
      worst.missed > 1 && days.length > 1 ? `, ${worst.missed} of them on ${dayText(worst.date)}` : ''
    sentences.push(
      `${missed} of ${countText(episodes, 'conversation')} ${missed === 1 ? "wasn't" : "weren't"} answered within a day${when}.`,
    )
  } else if (episodes > 0) sentences.push('No conversations were missed.')
  const median = shown(firstWait, 'median')
  if (median !== null) {
    sentences.push(
      `Half of the visitors got a first answer ${withinText(median)}, and nine out of ten ${withinText(firstWait.p90 ?? median)}.${comparison(median, shown(previous.firstWait, 'median'), days.length)}`,
    )
  } else if (firstWait.n > 0) sentences.push('A typical response time needs at least five answers.')
  const judged = days.filter((day) => shown(day.firstWait, 'median') !== null)
  if (judged.length > 1 && median !== null) {
    const slowest = judged.reduce((most, day) =>
      (day.firstWait.median ?? 0) > (most.firstWait.median ?? 0) ? day : most,
    )
    if ((slowest.firstWait.median ?? 0) > 2 * median) {
      sentences.push(
        `${dayText(slowest.date)}, was the slowest day: half of the visitors waited ${durationText(slowest.firstWait.median)} or longer.`,
      )
    }
  }
  const late = mostIn(slow)
  if (late.count >= SLOW_MIN) {
    sentences.push(
      `On ${hoursText(late, days.length)}, ${late.count} visitors waited more than ${SLOW_WAIT_MS / 60_000} minutes.`,
    )
  }
  const busiest = busiestHours(heat, days.length)
  if (busiest !== null) sentences.push(busiest)
  return sentences
}

const withinText = (seconds: number) => `within ${durationText(Math.max(seconds, 1))}`

function comparison(now: number, before: number | null, days: number): string {
  if (before === null) return ''
  const change = now / before - 1
  if (Math.abs(change) < CHANGE_MIN) return ` That's about the same as in ${previousText(days)}.`
  return ` In ${previousText(days)}, the median was ${durationText(before)}.`
}

/** Returns `the previous 28 days` or `the previous day`. */
export function previousText(days: number): string {
  return days === 1 ? 'the previous day' : `the previous ${days} days`
}

/** Returns `Previous 28 days` or `Previous day`, as a heading. */
export function previousHeading(days: number): string {
  return `P${previousText(days).slice('the p'.length)}`
}

/** Returns `28 days earlier` or `1 day earlier`. */
export function earlierText(days: number): string {
  return `${countText(days, 'day')} earlier`
}

function busiestHours(heat: Report['heat'], days: number): string | null {
  const total = heat.flat().reduce((sum, count) => sum + count, 0)
  const most = mostIn(heat)
  if (total < 20 || most.count / total < 0.05) return null
  return `Visitors write most on ${hoursText(most, days)}: ${most.count} of ${total} messages.`
}

/** Returns the two hours of the week with the highest count. */
function mostIn(week: readonly (readonly number[])[]) {
  let most = { count: 0, day: 0, hour: 0 }
  for (const [day, hours] of week.entries()) {
    for (let hour = 0; hour < 23; hour++) {
      const count = (hours[hour] ?? 0) + (hours[hour + 1] ?? 0)
      if (count > most.count) most = { count, day, hour }
    }
  }
  return most
}

/** Returns `Mondays between 1 and 3 PM`, or `Monday …` if the report has no other Monday. */
function hoursText({ day, hour }: { day: number; hour: number }, days: number): string {
  return `${WEEKDAYS[day]}${days > 7 ? 's' : ''} between ${spanText(hour, hour + 2, 'and')}`
}

/** Returns `1 and 3 PM`, `11 AM and 1 PM`, or `10 PM and midnight`. The hours are from 0 to 24. */
export function spanText(from: number, to: number, word: 'and' | 'to'): string {
  const [first, last] = [clockText(from), clockText(to)]
  const isSameHalf = first.slice(-2) === last.slice(-2)
  return `${isSameHalf ? first.slice(0, -3) : first} ${word} ${last}`
}

function clockText(hour: number): string {
  if (hour % 24 === 0) return 'midnight'
  return hour === 12 ? 'noon' : hourText(hour)
}

/** Returns `12 AM` for 0, and `1 PM` for 13. */
export function hourText(hour: number): string {
  return `${hour % 12 || 12} ${hour < 12 ? 'AM' : 'PM'}`
}

const DAY = new Intl.DateTimeFormat('en-US', {
  weekday: 'long',
  month: 'long',
  day: 'numeric',
  timeZone: 'UTC',
})
const SHORT_DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

const BRIEF_DAY = new Intl.DateTimeFormat('en-US', {
  weekday: 'short',
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
})

/** Returns `Tue, Mar 3` or, with the year, `Tue, Mar 3, 2026`. */
export function briefDayText(date: string, withYear: boolean): string {
  const day = BRIEF_DAY.format(new Date(date))
  return withYear ? `${day}, ${date.slice(0, 4)}` : day
}

export function dayText(date: string): string {
  return DAY.format(new Date(date))
}

export function shortDayText(date: string): string {
  return SHORT_DAY.format(new Date(date))
}

/** Returns `1 answer` or `428 answers`. */
export function countText(n: number, word: string): string {
  return `${n.toLocaleString('en-US')} ${plural(n, word)}`
}

function plural(n: number, word: string): string {
  return n === 1 ? word : `${word}s`
}

const MINUTE_MS = 60_000

/** Returns `below 1 min`, `12 min`, or `3.5 h`: the time from `since` until `now` (milliseconds), in whole minutes. */
export function waitedText(since: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(since)) / MINUTE_MS)
  if (minutes < 1) return 'under 1 min'
  return minutes < 2 ? '1 min' : durationText(minutes * 60)
}

/** Returns the announcement for screen readers. It has only the count, because admins act on it. */
export function nowText({ waiting: { count } }: Pick<Now, 'waiting'>): string {
  if (count === 0) return 'No one is waiting for an answer.'
  return `${countText(count, 'conversation')} ${count === 1 ? 'is' : 'are'} waiting for an answer.`
}

/** Returns `usually 8 min on Tuesdays`. */
export function weekdayText({ date, weekday }: Pick<Now['firstWait'], 'date' | 'weekday'>): string {
  const name = WEEKDAYS[(new Date(date).getUTCDay() + 6) % 7]
  const median = shown(weekday, 'median')
  return median === null ? `too few answers on ${name}s` : `usually ${durationText(median)} on ${name}s`
}
