import { VISITOR_KEYS_MAX } from '@proctorpass/shared/limits'
import { describe, expect, it } from 'vitest'
import { decideRating, FOREVER } from './blocks-and-ratings.ts'
import {
  type ActivityRecord,
  type Conversation,
  decideErase,
  movedReadMark,
  NEW_INBOX,
} from './conversation.ts'
import { decideIdentity, decideNote, identityNonce } from './entries.ts'
import { decideBlock, decideInboxChange } from './inbox-changes.ts'
import { keysAdmitting, keysWith } from './visitor-keys.ts'
import { decideMailed, decideProfile, type VisitorRecord, visitorRecord } from './visitors.ts'

const AT = Date.UTC(2026, 0, 5)
const ADMIN = 'admin-1'
const KEY = 'key-1'
const CLIENT = 'Visitor0000000000001'
const open: Conversation = {
  ...NEW_INBOX,
  epoch: 'epoch-1',
  seq: 3,
  visitorCount: 2,
  keyHashes: [KEY],
  blockedUntil: null,
  rated: false,
  spam: null,
  scheduled: null,
  waitingSince: AT - 1,
  settledSeq: 0,
  edits: 0,
}
const erased = { ...open, seq: 0 }
const blocked = { ...open, blockedUntil: FOREVER }
const resolved: Conversation = { ...open, status: 'resolved', waitingSince: null, settledSeq: 3 }

describe('a block', () => {
  const by = { by: ADMIN, at: AT }
  const block = (conversation: Conversation, until: number | null = FOREVER) =>
    decideBlock(conversation, until, by)

  it('is stored and logged with the resolve that comes with it', () => {
    expect(block(open)).toMatchObject({
      outcome: 'stored',
      set: { blockedUntil: FOREVER, status: 'resolved', waitingSince: null, settledSeq: 3 },
      entries: [
        { kind: 'block', ...by, data: { until: 'forever' } },
        { kind: 'status', ...by, data: { from: 'open', to: 'resolved' } },
      ],
    })
  })

  it('changes only the block of a resolved conversation', () => {
    expect(block(resolved)).toMatchObject({ set: { blockedUntil: FOREVER }, entries: [{ kind: 'block' }] })
  })

  it('reopens nothing when it is lifted', () => {
    expect(block({ ...resolved, blockedUntil: FOREVER }, null)).toEqual({
      outcome: 'stored',
      set: { blockedUntil: null },
      entries: [{ kind: 'block', ...by, data: { until: null } }],
    })
  })

  it('keeps an admin who reopens its conversation from a visitor who waits until it is lifted', () => {
    const blockedAndResolved = { ...resolved, blockedUntil: FOREVER }
    expect(decideInboxChange(blockedAndResolved, { status: 'open' }, by)).toMatchObject({
      set: { status: 'open', waitingSince: null, settledSeq: 3 },
    })
    expect(block(blocked, null)).toMatchObject({
      set: { blockedUntil: null, settledSeq: 0 },
      waitsAfter: 0,
    })
  })

  it('is not logged for an erased history', () => {
    expect(block(erased)).toEqual({ outcome: 'stored', set: { blockedUntil: FOREVER }, entries: [] })
  })

  it('changes nothing when it is in force already, or when one that ended is lifted', () => {
    expect(block(blocked)).toEqual({ outcome: 'unchanged' })
    expect(block({ ...open, blockedUntil: AT }, null)).toEqual({ outcome: 'unchanged' })
  })
})

describe('a rating', () => {
  const rating = { score: 4, words: 'quick' }
  const rate = (conversation: Conversation, keyHash: string | null = KEY, last?: typeof rating) =>
    decideRating(conversation, rating, { at: AT, keyHash, last })

  it('is stored and logged', () => {
    expect(rate(resolved)).toEqual({
      outcome: 'stored',
      set: { rated: true },
      entries: [{ kind: 'rating', by: null, at: AT, data: rating }],
    })
  })

  it('is repeated when the last one was the same, also of a blocked visitor', () => {
    const rated = { ...resolved, rated: true, blockedUntil: FOREVER }
    expect(rate(rated, KEY, rating)).toEqual({ outcome: 'repeated' })
    expect(rate(rated, KEY, { ...rating, score: 1 })).toEqual({ outcome: 'not-open' })
    expect(rate(rated)).toEqual({ outcome: 'not-open' })
  })

  it.each([
    ['wrong-key', erased, null],
    ['missing', erased, KEY],
    ['not-open', blocked, KEY],
    ['blocked', { ...resolved, blockedUntil: FOREVER }, KEY],
  ])('is refused as %s', (outcome, conversation, keyHash) => {
    expect(rate(conversation, keyHash)).toEqual({ outcome })
  })
})

describe('a change of the inbox', () => {
  const by = { by: ADMIN, at: AT }
  const decide = (
    conversation: Conversation,
    ...[change, options]: [Parameters<typeof decideInboxChange>[1], object?]
  ) => decideInboxChange(conversation, change, { ...by, ...options })

  it('is refused without messages', () => {
    expect(decide(erased, { assigneeId: ADMIN }, { version: 9 })).toEqual({ outcome: 'missing' })
  })

  it('is stored under the next version, with an entry of each kind', () => {
    expect(decide(open, { assigneeId: ADMIN, labels: ['Exam'] })).toEqual({
      outcome: 'stored',
      set: { ...NEW_INBOX, assigneeId: ADMIN, labels: ['Exam'], version: 1 },
      entries: [
        { kind: 'assignee', ...by, data: { from: null, to: ADMIN } },
        { kind: 'labels', ...by, data: { added: ['Exam'], removed: [] } },
      ],
    })
  })

  it('settles the messages so far, and asks for a rating, when it resolves', () => {
    expect(decide({ ...open, rated: true }, { status: 'resolved' })).toMatchObject({
      set: { status: 'resolved', waitingSince: null, settledSeq: 3, rated: false },
    })
    const labelled = decide({ ...resolved, rated: true }, { labels: ['Exam'] })
    expect(labelled).toMatchObject({ set: { waitingSince: null, settledSeq: 3 } })
    expect(labelled).not.toHaveProperty('set.rated')
  })

  it('lets the unanswered wait again when an admin undoes a resolve', () => {
    expect(decide(resolved, { status: 'open' })).toMatchObject({ set: { settledSeq: 0 }, waitsAfter: 0 })
    const bySystem = decide(resolved, { status: 'open' }, { by: null })
    expect(bySystem).toMatchObject({ outcome: 'stored' })
    expect(bySystem).not.toHaveProperty('set.waitingSince')
  })

  it('settles what was seen, and leaves the time of the rest to the store', () => {
    const settled = (upTo: number) => ({ kind: 'settled', ...by, data: { upTo } })
    expect(decide(open, { settled: true })).toEqual({
      outcome: 'stored',
      set: { ...NEW_INBOX, version: 1, waitingSince: null, settledSeq: 3 },
      entries: [settled(3)],
    })
    expect(decide(open, { settled: true, upTo: 2 })).toEqual({
      outcome: 'stored',
      set: { ...NEW_INBOX, version: 1, settledSeq: 2 },
      waitsAfter: 2,
      entries: [settled(2)],
    })
    expect(decide(open, { settled: true, upTo: 4 }, { version: 9 })).toEqual({ outcome: 'beyond' })
    for (const answered of [
      { ...open, waitingSince: null },
      { ...open, settledSeq: 3 },
    ]) {
      expect(decide(answered, { settled: true })).toEqual({ outcome: 'unchanged' })
    }
  })

  it('takes back the last mark that stands', () => {
    const log = (
      ...entries: [kind: 'settled' | 'status', by: string | null, afterSeq: number, data: object][]
    ) =>
      entries.map(([kind, who, afterSeq, data]) => ({
        kind,
        by: who,
        afterSeq,
        data: data as { upTo: null },
      }))
    const back = (...marks: ReturnType<typeof log>) =>
      decideInboxChange({ ...open, settledSeq: 2 }, { settled: false }, by, marks)
    expect(back()).toEqual({ outcome: 'unchanged' })
    const [one, two] = log(['settled', ADMIN, 1, { upTo: 1 }], ['settled', ADMIN, 2, { upTo: 2 }])
    const [taken] = log(['settled', ADMIN, 3, { upTo: null }])
    const [resolve] = log(['status', ADMIN, 1, { from: 'open', to: 'resolved' }])
    const [byVisitor] = log(['status', null, 2, { from: 'resolved', to: 'open' }])
    const [byAdmin] = log(['status', ADMIN, 2, { from: 'resolved', to: 'open' }])
    if (!one || !two || !taken || !resolve || !byVisitor || !byAdmin) throw new Error('An entry is missing.')
    expect(back(one, two)).toMatchObject({ waitsAfter: 1, entries: [{ data: { upTo: null } }] })
    expect(back(one, two, taken)).toMatchObject({ waitsAfter: 0 })
    expect(back(one, taken)).toEqual({ outcome: 'unchanged' })
    expect(back(resolve, byVisitor, two)).toMatchObject({ waitsAfter: 1 })
    expect(back(resolve, byAdmin, two)).toMatchObject({ waitsAfter: 0 })
    expect(decideInboxChange(resolved, { status: 'open' }, by, [one, resolve])).toMatchObject({
      waitsAfter: 1,
    })
  })

  it('is stale before it is unchanged', () => {
    expect(decide(open, {}, { version: 1 })).toEqual({ outcome: 'stale' })
    expect(decide(open, { status: 'open' }, { version: 0 })).toEqual({ outcome: 'unchanged' })
  })

  it('ends a snooze only while it is due', () => {
    const snoozed: Conversation = { ...open, status: 'snoozed', snoozedUntil: AT }
    expect(decide(snoozed, { status: 'open' }, { onlyDueBy: AT - 1 })).toEqual({ outcome: 'unchanged' })
    expect(decide(open, { assigneeId: ADMIN }, { onlyDueBy: AT })).toEqual({ outcome: 'unchanged' })
    expect(decide(snoozed, { status: 'open' }, { onlyDueBy: AT })).toMatchObject({
      set: { status: 'open', snoozedUntil: null },
    })
  })
})

describe('a note', () => {
  const note = { clientId: CLIENT, nonce: 'nonce-1', by: ADMIN, text: 'call back', mentions: [], at: AT }
  const data = { text: note.text, mentions: [] }
  const stored = { kind: 'note', by: ADMIN, at: AT, data } as Partial<ActivityRecord> as ActivityRecord

  it('is an entry with its nonce', () => {
    const entry = { kind: 'note', by: ADMIN, at: AT, nonce: 'nonce-1', data }
    expect(decideNote(open, note, null)).toEqual({ outcome: 'stored', set: {}, entries: [entry] })
  })

  it('is repeated for the same text and author', () => {
    expect(decideNote(open, note, stored)).toEqual({ outcome: 'repeated', activity: stored })
    expect(decideNote(open, { ...note, text: 'other' }, stored)).toEqual({ outcome: 'nonce-taken' })
    expect(decideNote(open, { ...note, by: 'admin-2' }, stored)).toEqual({ outcome: 'nonce-taken' })
  })

  it('needs a message', () => {
    expect(decideNote(erased, note, null)).toEqual({ outcome: 'missing' })
  })
})

describe('the entry that a site signed the visitor', () => {
  const data = { sub: 'sub-1', clientId: 'Visitor0000000000002' }

  it('is stored once for each pair of conversations, and not without messages', () => {
    const decided = decideIdentity(open, data, AT, null)
    const entry = { kind: 'identity', by: null, at: AT, data, nonce: identityNonce(data.clientId) }
    expect(decided).toEqual({ outcome: 'stored', set: {}, entries: [entry] })
    expect(decideIdentity(open, data, AT, entry as unknown as ActivityRecord)).toBeNull()
    expect(decideIdentity(erased, data, AT, null)).toBeNull()
  })
})

describe("a visitor's data", () => {
  const known: VisitorRecord = {
    ...visitorRecord(CLIENT, { name: 'Ada', email: 'ada@example.com' }),
    unsubscribed: true,
    lastSeenAt: AT + 1,
  }

  it('gets the fields that differ, and logs those that admins should notice', () => {
    const change = { name: 'Ada', email: null, page: '/blog' }
    expect(decideProfile(open, known, change, { by: ADMIN, at: AT })).toEqual({
      outcome: 'stored',
      changed: ['email', 'page'],
      set: { email: null, page: '/blog', unsubscribed: false, failing: false },
      entries: [{ kind: 'profile', by: ADMIN, at: AT, data: { fields: ['email'] } }],
    })
  })

  it('was last seen when the visitor reports, never earlier than before', () => {
    const report = (at: number) => decideProfile(open, known, {}, { by: null, at, keyHash: KEY })
    expect(report(AT)).toMatchObject({ changed: [], set: { lastSeenAt: AT + 1 }, entries: [] })
    expect(report(AT + 2)).toMatchObject({ set: { lastSeenAt: AT + 2 } })
  })

  it.each([
    ['wrong-key', { ...blocked, seq: 0 }, { by: null, keyHash: null }],
    ['missing', { ...blocked, seq: 0 }, { by: null, keyHash: KEY }],
    ['blocked', blocked, { by: null, keyHash: KEY }],
    ['stored', blocked, { by: ADMIN }],
  ])('is %s', (outcome, conversation, options) => {
    expect(decideProfile(conversation, known, {}, { at: AT, ...options })).toMatchObject({ outcome })
  })

  it('remembers the last three mails', () => {
    const mail = { epoch: open.epoch, seq: 2, at: AT, failed: false }
    const mailed = { ...known, mailedAt: [1, 2, 3], mailedSeq: 4 }
    const set = { mailedAt: [2, 3, AT], mailedSeq: 4 }
    expect(decideMailed(open, mailed, mail)).toEqual({ outcome: 'stored', set, entries: [] })
    expect(decideMailed(open, mailed, { ...mail, seq: 5, failed: true })).toEqual({
      outcome: 'stored',
      set: { mailedAt: [1, 2, 3], mailedSeq: 5 },
      entries: [{ kind: 'mail', by: null, at: AT, data: { failed: true } }],
    })
    expect(decideMailed(open, mailed, { ...mail, epoch: 'epoch-0' })).toBeNull()
  })
})

it('a read mark moves forwards to the newest message at most, and the visitor needs a key', () => {
  const marks = { ...open, adminRead: 1, visitorRead: 1 }
  expect(movedReadMark(marks, 'admin', 9, undefined)).toBe(3)
  expect(movedReadMark(marks, 'admin', 1, undefined)).toBeNull()
  expect(movedReadMark(marks, 'visitor', 2, KEY)).toBe(2)
  expect(movedReadMark(marks, 'visitor', 2, null)).toBeNull()
})

it('a further key replaces the oldest but the first', () => {
  const full = Array.from({ length: VISITOR_KEYS_MAX }, (_, index) => `key-${index}`)
  expect(keysWith([KEY], 'key-2')).toEqual([KEY, 'key-2'])
  expect(keysWith(full, 'new')).toEqual(['key-0', ...full.slice(2), 'new'])
  expect(keysWith([KEY], KEY)).toEqual([KEY])
  expect(keysWith([], KEY)).toEqual([])
})

it('lets in with a first key only without messages', () => {
  expect(keysAdmitting({ seq: 0, keyHashes: [] }, KEY)).toEqual([KEY])
  expect(keysAdmitting({ seq: 1, keyHashes: [] }, KEY)).toEqual([])
  expect(keysAdmitting({ seq: 0, keyHashes: [KEY] }, 'key-2')).toEqual([KEY, 'key-2'])
})

describe('erasing', () => {
  const found = { ...open, lastAt: AT, keyHashes: [KEY, 'mailed-1', 'mailed-2'] }

  it('keeps the first key and that of the visitor who erases', () => {
    expect(decideErase(found, {})).toEqual([KEY])
    expect(decideErase(found, { keyHash: 'mailed-2', idleSince: AT })).toEqual([KEY, 'mailed-2'])
  })

  it.each([
    ['an empty history', { ...found, seq: 0 }, {}],
    ['a newer message', found, { idleSince: AT - 1 }],
    ['no key', found, { keyHash: null }],
  ])('is refused for %s', (_why, conversation, options) => {
    expect(decideErase(conversation, options)).toBeNull()
  })
})
