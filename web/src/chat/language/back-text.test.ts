import { expect, it } from 'vitest'
import { english as en, chinese as zh } from '../../testing/words.ts'
import { backText } from './back-text.ts'

const now = new Date(2026, 10, 22, 22, 30).getTime()
const opening = (day: number) => new Date(2026, 10, day, 9).getTime()
const inEnglish = (day: number) =>
  backText(opening(day), { now, words: en.panel, locale: 'en-US' }).replaceAll('\u202f', ' ')

it.each([
  [23, "We're away. Back tomorrow at 9:00 AM your time."],
  [24, "We're away. Back Tuesday at 9:00 AM your time."],
  [28, "We're away. Back Saturday at 9:00 AM your time."],
  [29, "We're away. Back Sunday, November 29 at 9:00 AM your time."],
])('says on November 22 when an admin is back on November %i', (day, text) => {
  expect(inEnglish(day)).toBe(text)
})

it('names today, also when the opening has just passed', () => {
  expect(backText(now, { now, words: en.panel, locale: 'en-GB' })).toBe(
    "We're away. Back today at 22:30 your time.",
  )
  expect(inEnglish(22)).toContain('Back today')
})

it('speaks Chinese', () => {
  expect(backText(opening(23), { now, words: zh.panel, locale: 'zh' })).toBe(
    '我们现在不在。明天 9:00（您的当地时间）回来。',
  )
})
