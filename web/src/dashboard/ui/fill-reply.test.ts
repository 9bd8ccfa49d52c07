import { REPLY_VARIABLES } from '@proctorpass/shared/reply-text'
import { describe, expect, it } from 'vitest'
import { blanksIn, examTime, fillReply, type ReplyValues } from './fill-reply.ts'

const UNKNOWN: ReplyValues = () => null

describe('fillReply', () => {
  it('fills known values and leaves blanks', () => {
    const values: Record<string, string> = { 'visitor.name': 'Sam', brand: 'ProctorPass', supportEmail: '' }
    const valueFor: ReplyValues = (variable) => values[variable] ?? null
    expect(fillReply('{{visitor.name}}, {{brand}}: {{supportEmail}}, {{exam.time}}', valueFor)).toBe(
      'Sam, ProctorPass: [support email], [exam time]',
    )
  })

  it('leaves a blank that is found for every variable', () => {
    for (const name of REPLY_VARIABLES) {
      const text = fillReply(`a {{${name}}} b`, UNKNOWN)
      expect(blanksIn(text)).toEqual([{ start: 2, end: text.length - 2, label: text.slice(2, -2) }])
    }
    expect(blanksIn('[x] [visitor  name] [] [Brand]')).toEqual([])
  })
})

describe('examTime', () => {
  const examAt = '2026-11-26T13:05:00.000Z'
  const at = (timeZone: string | null, locale: string | null, text = 'Hi') =>
    examTime({ examAt, timeZone, locale }, text)?.replaceAll('\u202f', ' ')

  it('is in the zone of the visitor, with its name', () => {
    expect(at('Europe/Berlin', null)).toBe(
      'Thursday, November 26, 2026 at 2:05 PM Central European Standard Time',
    )
    expect(at('Asia/Shanghai', null)).toMatch(/9:05 PM China Standard Time$/)
    expect(at('Pacific/Kiritimati', null)).toMatch(/^Friday, November 27, 2026/)
  })

  it('is in UTC while the zone is unknown, to this browser too', () => {
    expect(at(null, null)).toMatch(/1:05 PM Coordinated Universal Time$/)
    expect(at('Mars/Olympus', null)).toMatch(/1:05 PM Coordinated Universal Time$/)
  })

  it('is in the language of the reply', () => {
    expect(at('Europe/London', 'en-GB')).toMatch(/^Thursday,? 26 November 2026 at 13:05 Greenwich Mean Time$/)
    expect(at('Europe/London', 'de-DE')).toMatch(/^Thursday, November 26/)
    expect(at('Asia/Shanghai', 'en-GB', '考试')).toMatch(/^2026年11月26日星期四.*21:05$/)
    expect(at('Asia/Shanghai', 'en_GB!')).toMatch(/November 26/)
  })

  it('is null without an exam', () => {
    expect(examTime({ examAt: null, timeZone: 'UTC', locale: null }, 'Hi')).toBeNull()
  })
})
