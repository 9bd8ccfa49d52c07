import { AUDIT_ACTIONS } from '@proctorpass/shared/audit'
import type { AuditEntry } from '@proctorpass/shared/schemas/audit'
import { describe, expect, it } from 'vitest'
import { auditChoice, auditDetails, auditSentence } from './audit-sentence.ts'

const entry = (change: Partial<AuditEntry>): AuditEntry => ({
  ...{ n: 1, at: '2026-01-01T00:00:00.000Z', by: 'a', action: 'admin.disabled', target: null },
  ...{ details: {}, address: null, hash: '' },
  ...change,
})
const nameOf = (by: string) => (by === 'a' ? 'maria' : by)

describe('the sentence of an entry', () => {
  it.each<[Partial<AuditEntry>, string]>([
    [{ details: { name: 'jonas' } }, 'maria disabled jonas'],
    [{ by: 'key:1', action: 'conversation.exported' }, 'key:1 downloaded a conversation'],
    [{ by: null, action: 'conversation.erased' }, 'A visitor erased a conversation'],
    [
      { by: null, action: 'retention.ran', details: { erased: 3 } },
      'The server or its operator erased 3 old conversations',
    ],
    [{ action: 'of.later' }, 'maria of.later'],
  ])('of %j is %s', (change, sentence) => {
    expect(auditSentence(entry(change), nameOf)).toBe(sentence)
  })

  it('is known for every action', () => {
    for (const action of AUDIT_ACTIONS) {
      expect(auditSentence(entry({ action }), nameOf)).not.toContain(action)
    }
  })
})

it('lists the changed settings, and the details of other changes', () => {
  const details = { rating: { from: true, to: false }, away: {}, hours: { from: null, to: { spans: [] } } }
  expect(auditDetails(entry({ action: 'settings.changed', details }))).toEqual([
    'rating: true → false',
    'away',
    'hours: null → {"spans":[]}',
  ])
  expect(auditDetails(entry({ target: 'x', details: { name: 'jonas', hours: 24 } }))).toEqual([
    'x',
    'hours: 24',
  ])
})

it('names every action in the filter by words', () => {
  expect(auditChoice('admin.created')).toBe('Created …')
  const choices = AUDIT_ACTIONS.map(auditChoice)
  expect(new Set(choices).size).toBe(AUDIT_ACTIONS.length)
})
