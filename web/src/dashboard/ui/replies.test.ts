import type { CannedReply } from '@proctorpass/shared/schemas/reply'
import { describe, expect, it } from 'vitest'
import { matching, searchable } from './replies.ts'

const reply = (shortcut: string, text = ''): CannedReply => ({ _id: shortcut, shortcut, text, version: 1 })
const all = searchable([
  reply('exam-day', 'What to bring'),
  reply('greet', 'Café on the exam day? Hello'),
  reply('refund', 'Money back'),
  reply('refund-exam', 'For an exam'),
  reply('zh', '考试当天请带护照'),
])
const found = (query: string) => matching(all, query).map(({ shortcut }) => shortcut)

describe('matching', () => {
  it('finds all without words', () => {
    for (const query of ['', ' ', '-']) expect(found(query)).toHaveLength(5)
  })

  it('begins with the shortcuts that begin with the query', () => {
    expect(found('refund')).toEqual(['refund', 'refund-exam'])
    expect(found('exam')).toEqual(['exam-day', 'refund-exam', 'greet'])
    expect(found('day exam')).toEqual(['exam-day', 'greet'])
    expect(found('exam day')).toEqual(['exam-day', 'greet'])
  })

  it('wants every word', () => {
    expect(found('greet hello')).toEqual(['greet'])
    expect(found('greet money')).toEqual([])
  })

  it('ignores case and accents, and finds parts of Chinese words', () => {
    expect(found('CAFE')).toEqual(['greet'])
    expect(found('café')).toEqual(['greet'])
    expect(found('护照')).toEqual(['zh'])
  })

  it('takes signs of expressions as they are', () => {
    for (const query of ['(', '.*', '[a', '\\']) expect(found(query)).toEqual([])
  })
})
