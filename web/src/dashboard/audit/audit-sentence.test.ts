import { aliasOf } from '@proctorpass/shared/alias'
import { AUDIT_ACTIONS } from '@proctorpass/shared/audit'
import type { AuditEntry } from '@proctorpass/shared/schemas/audit'
import { describe, expect, it } from 'vitest'
import { auditChoice, auditWords } from './audit-sentence.ts'

const entry = (change: Partial<AuditEntry>): AuditEntry => ({
  ...{ n: 1, at: '2026-01-01T00:00:00.000Z', by: 'a', action: 'admin.disabled', target: null },
  ...{ details: {}, address: null, hash: '' },
  ...change,
})
const names = {
  admin: (userId: string) => (userId === 'a' ? 'Maria' : undefined),
  adminCalled: (userName: string) => (userName === 'jonas' ? 'Jonas Weber' : undefined),
  site: (id: string) => (id === 'shop' ? 'Shop' : undefined),
}
const CLIENT_ID = 'b'.repeat(20)

function sentence(change: Partial<AuditEntry>): string {
  const { who, what } = auditWords(entry(change), names)
  return `${who} ${what}`
}

const more = (change: Partial<AuditEntry>) => auditWords(entry(change), names).more

describe('the sentence of an entry', () => {
  it.each<[Partial<AuditEntry>, string]>([
    [{ action: 'session.started' }, 'Maria signed in'],
    [{ action: 'session.refused' }, 'Maria entered a wrong password to sign in'],
    [{ action: 'session.left' }, 'Maria signed out'],
    [{ action: 'session.ended' }, 'Maria ended a session'],
    [
      { action: 'session.ended', details: { device: 'Firefox on Linux', network: '10.1.2.0/24' } },
      'Maria ended a session on Firefox on Linux from 10.1.2.0/24',
    ],
    [{ action: 'confirmation.refused' }, 'Maria entered a wrong password or code to confirm their identity'],
    [{ action: 'password.changed' }, 'Maria changed their password'],
    [{ action: 'password.refused' }, 'Maria entered a wrong current password to change it'],
    [{ action: 'email.changed' }, 'Maria changed their email address'],
    [{ action: 'factor.added', details: { kind: 'totp' } }, 'Maria added a second factor: authenticator app'],
    [
      { action: 'factor.removed', details: { kind: 'passkey', name: 'Laptop' } },
      'Maria removed a second factor: Laptop',
    ],
    [{ action: 'recovery.renewed' }, 'Maria created new recovery codes'],
    [
      { action: 'admin.created', by: null, details: { name: 'lena' } },
      'The server or its operator created lena',
    ],
    [{ action: 'admin.invited', details: { name: 'jonas' } }, 'Maria invited Jonas Weber'],
    [{ action: 'admin.joined' }, 'Maria joined the team'],
    [{ action: 'admin.renamed', details: { name: 'jonas' } }, 'Maria renamed Jonas Weber'],
    [{ action: 'admin.disabled', details: { name: 'jonas' } }, 'Maria disabled Jonas Weber'],
    [{ action: 'admin.enabled', details: { name: 'lena' } }, 'Maria enabled lena'],
    [{ action: 'admin.removed', details: { name: 'lena' } }, 'Maria removed lena'],
    [{ action: 'admin.reset', details: { name: 'jonas' } }, 'Maria reset Jonas Weber’s password'],
    [{ action: 'site.created', details: { name: 'Shop' } }, 'Maria added the website Shop'],
    [
      { action: 'site.changed', target: 'shop', details: { fields: ['name', 'origins'] } },
      'Maria changed the website Shop: name and addresses',
    ],
    [{ action: 'site.changed', target: 'gone', details: { fields: [] } }, 'Maria changed a website'],
    [{ action: 'site.deleted', details: { name: 'Shop' } }, 'Maria deleted the website Shop'],
    [{ action: 'site-secret.created', target: 'shop' }, 'Maria created a secret for the website Shop'],
    [{ action: 'site-secret.deleted', target: 'gone' }, 'Maria deleted a website’s secret'],
    [
      { action: 'key.created', target: '1', details: { name: 'CRM', scopes: ['read', 'write'] } },
      'Maria created the API key CRM for “read” and “write”',
    ],
    [{ action: 'key.deleted', target: '1' }, 'Maria deleted an API key'],
    [
      { action: 'endpoint.created', target: '1', details: { name: 'CRM', host: 'crm.test' } },
      'Maria added the endpoint CRM at crm.test',
    ],
    [
      { action: 'endpoint.changed', target: '1', details: { name: 'CRM', fields: ['url', 'types'] } },
      'Maria changed the endpoint CRM: URL and events',
    ],
    [
      { action: 'endpoint.changed', by: null, details: { name: 'CRM', disabledBy: 'failures' } },
      'The server or its operator turned off the endpoint CRM because too many deliveries failed',
    ],
    [
      { action: 'endpoint.changed', by: null, details: { name: 'CRM', disabledBy: 'gone' } },
      'The server or its operator turned off the endpoint CRM because its address no longer exists',
    ],
    [{ action: 'endpoint.deleted', details: { name: 'CRM' } }, 'Maria deleted the endpoint CRM'],
    [
      { action: 'endpoint-secret.created', details: { name: 'CRM' } },
      'Maria created a new secret for the endpoint CRM',
    ],
    [
      { action: 'conversation.erased', by: null, target: CLIENT_ID },
      `A visitor erased the conversation with ${aliasOf(CLIENT_ID)}`,
    ],
    [
      { action: 'conversation.exported', by: 'key:7', target: CLIENT_ID },
      `The API key 7 downloaded the conversation with ${aliasOf(CLIENT_ID)}`,
    ],
    [
      { action: 'visitor.blocked', target: CLIENT_ID, details: { hours: 24 } },
      `Maria blocked ${aliasOf(CLIENT_ID)} for 24 hours`,
    ],
    [
      { action: 'visitor.blocked', target: CLIENT_ID, details: { hours: null } },
      `Maria blocked ${aliasOf(CLIENT_ID)} for good`,
    ],
    [{ action: 'visitor.unblocked', target: CLIENT_ID }, `Maria unblocked ${aliasOf(CLIENT_ID)}`],
    [
      { action: 'post.published', details: { title: 'What to bring' } },
      'Maria published the post “What to bring”',
    ],
    [
      { action: 'preview-link.deleted', details: { title: 'What to bring' } },
      'Maria ended the preview link of the post “What to bring”',
    ],
    [
      { action: 'post.deleted', details: { title: 'What to bring' } },
      'Maria deleted the post “What to bring”',
    ],
    [
      { action: 'language.uploaded', target: 'pt-BR' },
      'Maria uploaded the language file for Brazilian Portuguese',
    ],
    [{ action: 'language.deleted', target: 'de' }, 'Maria deleted the uploaded language file for German'],
    [
      { action: 'text.reset', target: 'privacy', details: { lang: 'en' } },
      'Maria went back to the shipped text of the page “Privacy”',
    ],
    [
      { action: 'text.reset', target: 'faq', details: { lang: 'de' } },
      'Maria removed the German translation of the page “FAQ”',
    ],
    [
      {
        action: 'text.reset',
        target: 'article:phones',
        details: { lang: 'zh', name: 'Can it detect phones?' },
      },
      'Maria removed the Chinese translation of the article “Can it detect phones?”',
    ],
    [
      { action: 'text.reset', target: 'faq:refunds', details: { lang: 'en', name: 'Do you refund?' } },
      'Maria went back to the shipped text of the question “Do you refund?”',
    ],
    [
      { action: 'question.deleted', target: 'refunds', details: { question: 'Do you refund?' } },
      'Maria deleted the question “Do you refund?”',
    ],
    [{ action: 'faq-order.reset' }, 'Maria went back to the shipped list of questions'],
    [{ action: 'review.deleted', target: '1' }, 'Maria deleted a review'],
    [{ action: 'contact.deleted', target: '1' }, 'Maria deleted a contact message'],
    [{ action: 'samples.deleted' }, 'Maria removed the samples'],
    [
      { action: 'reports.exported', details: { from: '2026-01-01', to: '2026-01-28', time: 'open' } },
      'Maria exported the reports from 2026-01-01 to 2026-01-28',
    ],
    [{ action: 'audit.exported' }, 'Maria exported this log'],
    [{ action: 'audit.cut' }, 'Maria removed this log’s oldest entries'],
    [
      { action: 'retention.ran', by: null, details: { erased: 1 } },
      'The server or its operator erased 1 old conversation',
    ],
    [
      { action: 'store.copied', by: null },
      'The server or its operator started with a restored or migrated database',
    ],
    [{ action: 'of.later' }, 'Maria made the change “of.later”'],
    [{ by: 'gone', action: 'session.left' }, 'gone signed out'],
  ])('of %j is %s', (change, expected) => {
    expect(sentence(change)).toBe(expected)
  })

  it('is known for every action', () => {
    for (const action of AUDIT_ACTIONS) {
      expect(sentence({ action })).not.toMatch(/[{}]|undefined/)
      expect(sentence({ action })).not.toContain(action)
    }
  })
})

describe('changed settings', () => {
  const changed = (details: Record<string, unknown>) => ({ action: 'settings.changed', details })
  const hours = (timeZone: string, to = '17:00') => ({
    ...{ timeZone, closed: [] },
    spans: [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to })),
  })

  it.each<[Record<string, unknown>, string]>([
    [
      { hours: { from: hours('Europe/Zurich'), to: hours('Europe/Paris') } },
      'time zone: Europe/Zurich → Europe/Paris',
    ],
    [
      { hours: { from: hours('UTC'), to: hours('UTC', '18:00') } },
      'opening hours: Mon–Fri 09:00–17:00 → Mon–Fri 09:00–18:00',
    ],
    [{ hours: { from: null, to: hours('UTC') } }, 'opening hours: always open → Mon–Fri 09:00–17:00, UTC'],
    [
      { away: { from: { en: '', zh: '' }, to: { en: 'Back at 9', zh: '' } } },
      'away message in English: none → Back at 9',
    ],
    [{ greeting: {} }, 'greeting'],
    [
      { greeting: { from: { en: 'Hi', zh: '' }, to: { en: 'Hi', zh: '', de: 'Hallo' } } },
      'greeting in German: none → Hallo',
    ],
    [
      { filesNotice: { from: { en: '', zh: '', 'pt-BR': 'Oi' }, to: { en: '', zh: '' } } },
      'notice before the first file in Brazilian Portuguese: Oi → none',
    ],
    [
      { languages: { from: ['en', 'zh'], to: ['en', 'zh', 'ar'] } },
      'languages: English, Chinese → English, Chinese, Arabic',
    ],
    [{ showTeam: { from: false, to: true } }, 'team’s names and pictures: off → on'],
    [
      { quickReplies: { from: { en: ['A'], zh: [] }, to: { en: ['A', 'B'], zh: [] } } },
      'quick replies in English: A → A, B',
    ],
    [
      { preChat: { from: { email: 'off' }, to: { email: 'required' } } },
      'question for the email address: off → required',
    ],
    [{ files: { from: false, to: true } }, 'files from visitors: off → on'],
    [{ rating: { from: true, to: false } }, 'question for a rating: on → off'],
    [{ retentionDays: { from: null, to: 90 } }, 'time before old conversations are erased: never → 90 days'],
    [
      {
        escalation: {
          from: { afterSeconds: 60, thenMailMinutes: null },
          to: { afterSeconds: 60, thenMailMinutes: 5 },
        },
      },
      'wait before an email follows: no email → 5 minutes',
    ],
    [{ secondFactor: { from: 'optional', to: 'required' } }, 'second factor: optional → required'],
    [{ cards: { from: [], to: [{ id: 'x' }] } }, 'number of cards: 0 → 1'],
    [
      { cards: { from: [{ path: '/a', text: { en: 'A' } }], to: [{ path: '/b', text: { en: 'A' } }] } },
      'card 1, path: /a → /b',
    ],
    [
      { cards: { from: [{ text: { en: 'A' } }], to: [{ text: { en: 'A', fr: 'B' } }] } },
      'card 1, text in French: none → B',
    ],
    [{ ofLater: { from: { a: 1 }, to: null } }, 'of later: a 1 → none'],
  ])('of %j read as %s', (details, expected) => {
    expect(sentence(changed(details))).toBe(`Maria changed the ${expected}`)
    expect(more(changed(details))).toEqual([])
  })

  it('are listed if there are several', () => {
    const details = {
      rating: { from: true, to: false },
      hours: { from: hours('UTC'), to: hours('Asia/Tokyo', '18:00') },
      away: {},
    }
    expect(sentence(changed(details))).toBe('Maria changed 4 settings')
    expect(more(changed(details))).toEqual([
      'Question for a rating: on → off',
      'Time zone: UTC → Asia/Tokyo',
      'Opening hours: Mon–Fri 09:00–17:00 → Mon–Fri 09:00–18:00',
      'Away message',
    ])
  })
})

it('says what else is known, without the signs of JSON', () => {
  expect(more({ action: 'key.deleted', target: '1a' })).toEqual(['ID: 1a'])
  expect(more({ action: 'reports.exported', details: { from: '1', to: '2', time: 'open' } })).toEqual([
    'Time: open',
  ])
  expect(more({ action: 'text.reset', target: 'terms', details: { lang: 'de', name: 'Terms' } })).toEqual([])
  expect(more({ action: 'question.deleted', target: 'refunds', details: { question: 'Why?' } })).toEqual([])
  expect(more({ action: 'audit.exported', details: { from: '2026-01-01' } })).toEqual(['From: 2026-01-01'])
  const details = { someList: ['a', { isOn: true }], empty: null }
  expect(more({ action: 'of.later', target: 'x', details })).toEqual([
    'ID: x',
    'Some list: a, is on yes',
    'Empty: none',
  ])
})

it('names every action in the filter by words', () => {
  expect(auditChoice('admin.created')).toBe('Created …')
  expect(auditChoice('settings.changed')).toBe('Changed the settings')
  const choices = AUDIT_ACTIONS.map(auditChoice)
  expect(new Set(choices).size).toBe(AUDIT_ACTIONS.length)
  expect(choices.join()).not.toMatch(/[{}]/)
})
