import { EXAM_SOON_MS } from '@proctorpass/shared/limits'
import type { Status } from '@proctorpass/shared/schemas/inbox'
import { describe, expect, it } from 'vitest'
import type {
  ConversationCursor,
  ConversationFilter,
} from '../../src/storage/model/conversation/conversation.ts'
import type { InboxChange } from '../../src/storage/model/conversation/inbox-changes.ts'
import type { Appended } from '../../src/storage/model/conversation/messages.ts'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const SECOND_ADMIN = 'b'.repeat(24)
const HOUR = 3_600_000

export function describeInbox({ storage, append, reopen }: StoreUnderTest): void {
  const change = (
    what: InboxChange,
    options: { by?: string | null; at?: number; version?: number; onlyDueBy?: number } = {},
    clientId = VISITOR,
  ) => storage.inbox.change(clientId, what, { by: ADMIN, at: T0 + 10, ...options })
  const log = async (clientId = VISITOR) =>
    (await storage.inbox.activity(clientId, { limit: 200, after: 0 })).activity
  const stored = (appended: Appended) => {
    if (appended.outcome !== 'stored') throw new Error(appended.outcome)
    return appended
  }
  const summary = async (clientId = VISITOR) => {
    const { conversations } = await storage.conversations.list({ limit: 200 })
    return conversations.find((each) => each.clientId === clientId)
  }
  const note = (text: string, nonce = `note-${text}-nonce`, by = ADMIN, clientId = VISITOR) =>
    storage.inbox.addNote({ clientId, nonce, by, text, mentions: [], at: T0 + 20 })
  const listed = async (filter: ConversationFilter, limit = 200) => {
    const ids: string[] = []
    for (let after: ConversationCursor | undefined; ; ) {
      const { conversations, next } = await storage.conversations.list({ limit, after, filter })
      ids.push(...conversations.map(({ clientId }) => clientId))
      if (next === null) return ids
      after = next
    }
  }

  describe('the inbox', () => {
    it('starts open, unassigned, without labels, at version 0', async () => {
      await append('hello')
      expect(await summary()).toMatchObject({
        inbox: { status: 'open', snoozedUntil: null, assigneeId: null, labels: [], version: 0 },
        visitor: { name: null, examAt: null },
      })
      expect(await log()).toEqual([])
    })

    it('stores a change with one version and one entry for each kind', async () => {
      await append('hello')
      const changed = await change({ status: 'resolved', assigneeId: ADMIN, labels: ['Refund', 'VIP'] })
      expect(changed).toMatchObject({
        outcome: 'stored',
        conversation: {
          waitingSince: null,
          inbox: { status: 'resolved', assigneeId: ADMIN, labels: ['Refund', 'VIP'], version: 1 },
        },
      })
      expect(await log()).toMatchObject([
        { n: 1, kind: 'status', by: ADMIN, at: T0 + 10, afterSeq: 1, data: { from: 'open', to: 'resolved' } },
        { n: 2, kind: 'assignee', data: { from: null, to: ADMIN } },
        { n: 3, kind: 'labels', data: { added: ['Refund', 'VIP'], removed: [] } },
      ])
      if (changed.outcome === 'stored') expect(await log()).toEqual(changed.activity)
      await reopen()
      expect((await log()).map(({ n }) => n)).toEqual([1, 2, 3])
      expect(await summary()).toMatchObject({ inbox: { labels: ['Refund', 'VIP'], version: 1 } })
    })

    it('neither counts nor logs what changes nothing', async () => {
      await append('hello')
      await change({ assigneeId: ADMIN })
      const again = await change({ status: 'open', assigneeId: ADMIN, labels: [] })
      expect(again).toMatchObject({ outcome: 'unchanged', conversation: { inbox: { version: 1 } } })
      expect(await log()).toHaveLength(1)
    })

    it('refuses a stale version, and knows no conversation without messages', async () => {
      await append('hello')
      await change({ assigneeId: ADMIN }, { version: 0 })
      expect(await change({ status: 'resolved' }, { version: 0 })).toMatchObject({
        outcome: 'stale',
        conversation: { inbox: { version: 1, assigneeId: ADMIN, status: 'open' } },
      })
      expect(await change({ status: 'resolved' }, {}, OTHER)).toEqual({ outcome: 'missing' })
      expect(await log()).toHaveLength(1)
    })

    it('lets one of two admins take a conversation', async () => {
      await append('hello')
      const outcomes = await Promise.all([
        change({ assigneeId: ADMIN }, { version: 0 }),
        change({ assigneeId: SECOND_ADMIN }, { version: 0, by: SECOND_ADMIN }),
      ])
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['stale', 'stored'])
      expect(await log()).toHaveLength(1)
      expect(await summary()).toMatchObject({ inbox: { version: 1 } })
    })

    it('keeps numbers without gaps under concurrent changes and notes', async () => {
      await append('hello')
      await Promise.all([
        ...Array.from({ length: 8 }, (_, index) => note(`n${index}`)),
        ...Array.from({ length: 8 }, (_, index) => change({ labels: [`label ${index}`] })),
        ...Array.from({ length: 4 }, (_, index) => append(`more ${index}`)),
      ])
      const entries = await log()
      expect(entries.map(({ n }) => n)).toEqual(entries.map((_, index) => index + 1))
      const after = entries.map(({ afterSeq }) => afterSeq)
      expect(after).toEqual([...after].sort((a, b) => a - b))
      const changes = entries.filter(({ kind }) => kind === 'labels').length
      expect(entries.filter(({ kind }) => kind === 'note')).toHaveLength(8)
      expect((await summary())?.inbox.version).toBe(changes)
    })

    it('compares labels without case, and keeps the first writing', async () => {
      await append('hello')
      await append('hi', { clientId: OTHER })
      await change({ labels: ['Refund', 'refund', 'Straße'] })
      expect((await summary())?.inbox.labels).toEqual(['Refund', 'Straße'])
      expect(await change({ labels: ['REFUND', 'STRAßE'] })).toMatchObject({ outcome: 'unchanged' })
      await change({ labels: ['reFUND'] }, {}, OTHER)
      expect((await summary(OTHER))?.inbox.labels).toEqual(['Refund'])
      expect(await storage.inbox.labels(10)).toEqual(['Refund', 'Straße'])
      expect(await storage.inbox.labels(1)).toEqual(['Refund'])
      await change({ labels: [] })
      await change({ labels: [] }, {}, OTHER)
      expect(await storage.inbox.labels(10)).toEqual([])
    })
  })

  describe('messages and the inbox', () => {
    it('of a visitor reopen, with one version and one entry', async () => {
      await append('hello')
      await change({ status: 'resolved' })
      const { inboxChanged, message } = stored(await append('one more thing', { at: T0 + HOUR }))
      expect(inboxChanged).toMatchObject({
        conversation: { inbox: { status: 'open', version: 2 }, waitingSince: T0 + HOUR, adminUnread: 2 },
        activity: [{ n: 2, kind: 'status', by: null, afterSeq: 2, data: { from: 'resolved', to: 'open' } }],
      })
      expect(message.seq).toBe(2)
      expect(stored(await append('and another')).inboxChanged).toBeNull()
      expect(await log()).toHaveLength(2)
    })

    it('of a visitor end a snooze', async () => {
      await append('hello')
      await change({ status: 'snoozed', snoozedUntil: T0 + HOUR })
      expect(await summary()).toMatchObject({
        waitingSince: T0,
        inbox: { status: 'snoozed', snoozedUntil: T0 + HOUR },
      })
      await append('are you there?')
      expect(await summary()).toMatchObject({
        waitingSince: T0,
        inbox: { status: 'open', snoozedUntil: null, version: 2 },
      })
    })

    it('that are repeated change nothing', async () => {
      await append('hello')
      await append('again', { nonce: 'nonce-repeated' })
      await change({ status: 'resolved' })
      expect(await append('again', { nonce: 'nonce-repeated' })).toMatchObject({ outcome: 'repeated' })
      expect(await summary()).toMatchObject({ inbox: { status: 'resolved', version: 1 } })
    })

    it('of an admin take a free conversation, and leave its status', async () => {
      await append('hello')
      await change({ status: 'resolved' })
      const { inboxChanged } = stored(await append('bye', { senderId: ADMIN }))
      expect(inboxChanged).toMatchObject({
        conversation: { inbox: { status: 'resolved', assigneeId: ADMIN, version: 2 } },
        activity: [{ kind: 'assignee', by: ADMIN, afterSeq: 2, data: { from: null, to: ADMIN } }],
      })
      expect(stored(await append('still here', { senderId: SECOND_ADMIN })).inboxChanged).toBeNull()
      await change({ assigneeId: null })
      expect(await summary()).toMatchObject({ inbox: { assigneeId: null } })
    })

    it('of an admin give a status in the same write, behind the message', async () => {
      await append('question')
      const resolved = { status: 'resolved', snoozedUntil: null } as const
      const bye = stored(await append('bye', { senderId: ADMIN, then: resolved }))
      expect(bye).toMatchObject({
        state: { isUnrated: true },
        waitedSince: T0,
        inboxChanged: {
          conversation: { inbox: { status: 'resolved', assigneeId: ADMIN, version: 2 }, waitingSince: null },
          activity: [
            { n: 1, kind: 'assignee', by: ADMIN, afterSeq: 2 },
            { n: 2, kind: 'status', by: ADMIN, afterSeq: 2, data: { from: 'open', to: 'resolved' } },
          ],
        },
      })
      expect(await log()).toEqual(bye.inboxChanged?.activity)
      await append('one more thing', { at: T0 + 1 })
      expect(await summary()).toMatchObject({ inbox: { status: 'open', version: 3 }, waitingSince: T0 + 1 })
      await append('tomorrow', {
        ...{ senderId: SECOND_ADMIN, at: T0 + 2 },
        then: { status: 'snoozed', snoozedUntil: T0 + HOUR },
      })
      expect(await summary()).toMatchObject({
        waitingSince: null,
        inbox: { status: 'snoozed', snoozedUntil: T0 + HOUR, assigneeId: ADMIN, version: 4 },
      })
      expect(await storage.inbox.dueSnoozes(T0 + HOUR, 10)).toEqual([VISITOR])
      await reopen()
      expect((await log()).map(({ n, afterSeq }) => [n, afterSeq])).toEqual([
        [1, 2],
        [2, 2],
        [3, 3],
        [4, 4],
      ])
    })

    it('give a status once, also when the visitor has reopened, and none without a message', async () => {
      const bye = { senderId: ADMIN, nonce: 'nonce-of-a-bye' }
      const resolved = { ...bye, then: { status: 'resolved', snoozedUntil: null } } as const
      await append('question')
      await append('bye', resolved)
      await append('wait')
      expect(await append('bye', resolved)).toMatchObject({ outcome: 'repeated' })
      expect(await summary()).toMatchObject({ inbox: { status: 'open', version: 3 } })
      expect(await append('other words', resolved)).toEqual({ outcome: 'nonce-taken' })
      expect(await append('late', { ...resolved, nonce: 'nonce-too-late', epoch: 'other' })).toEqual({
        outcome: 'stale-epoch',
      })
      expect(await summary()).toMatchObject({ inbox: { status: 'open', version: 3 } })
    })

    it('give no status that is over, and repeat one that is over since', async () => {
      await append('question')
      const then = { status: 'snoozed', snoozedUntil: T0 + HOUR } as const
      const later = { senderId: ADMIN, nonce: 'nonce-of-a-later', then }
      expect(await append('later', { ...later, at: T0 + HOUR })).toEqual({ outcome: 'snooze-over' })
      expect(await log()).toEqual([])
      expect(await append('later', later)).toMatchObject({ outcome: 'stored' })
      expect(await append('later', { ...later, at: T0 + HOUR })).toMatchObject({ outcome: 'repeated' })
      expect(await log()).toHaveLength(2)
    })

    it('of a visitor give no status', async () => {
      const then = { status: 'resolved', snoozedUntil: null } as const
      expect(stored(await append('hello', { then })).inboxChanged).toBeNull()
      expect(await summary()).toMatchObject({ inbox: { status: 'open', version: 0 }, waitingSince: T0 })
    })

    it('do not wait once resolved, until an admin reopens', async () => {
      await append('question')
      await append('ok thanks', { at: T0 + 1 })
      await change({ status: 'resolved' })
      await append('wait', { at: T0 + HOUR })
      await append('please', { at: T0 + 2 * HOUR })
      expect(await summary()).toMatchObject({ waitingSince: T0 + HOUR })
      await change({ status: 'resolved' })
      await change({ status: 'open' })
      expect(await summary()).toMatchObject({ waitingSince: T0, inbox: { status: 'open' } })
      await append('answer', { senderId: ADMIN, at: T0 + 3 * HOUR })
      await change({ status: 'resolved' })
      await change({ status: 'open' })
      expect(await summary()).toMatchObject({ waitingSince: null })
    })
  })

  describe('messages that need no answer', () => {
    const waits = async () => (await summary())?.waitingSince
    const say = (text: string, at: number, senderId?: string) =>
      append(text, { at, ...(senderId && { senderId }) })

    it('do not wait; status and assignee stay, and the next message waits', async () => {
      await say('thank you', T0 + 1)
      await change({ assigneeId: SECOND_ADMIN })
      expect(await change({ settled: true })).toMatchObject({
        outcome: 'stored',
        conversation: {
          waitingSince: null,
          inbox: { status: 'open', assigneeId: SECOND_ADMIN, version: 2 },
        },
        activity: [{ n: 2, kind: 'settled', by: ADMIN, afterSeq: 1, data: { upTo: 1 } }],
      })
      expect(await storage.inbox.now(10)).toEqual({ open: 1, waiting: 0, longest: [] })
      await reopen()
      expect(await say('one more thing', T0 + 2)).toMatchObject({ inboxChanged: null })
      await say('please', T0 + 3)
      expect(await waits()).toBe(T0 + 2)
      expect(await storage.inbox.now(10)).toMatchObject({ waiting: 1, longest: [{ since: T0 + 2 }] })
    })

    it('are those that the admin saw; newer ones wait on', async () => {
      await say('thank you', T0 + 1)
      await say('by the way', T0 + 2)
      await say('are you there?', T0 + 3)
      expect(await change({ settled: true, upTo: 4 })).toEqual({ outcome: 'beyond' })
      expect(await change({ settled: true, upTo: 0 })).toMatchObject({ outcome: 'unchanged' })
      expect(await change({ settled: true, upTo: 1 })).toMatchObject({
        conversation: { waitingSince: T0 + 2 },
        activity: [{ data: { upTo: 1 } }],
      })
      expect(await change({ settled: true, upTo: 1 })).toMatchObject({ outcome: 'unchanged' })
      await change({ settled: true, upTo: 2 })
      expect(await waits()).toBe(T0 + 3)
      await change({ settled: true })
      expect(await waits()).toBeNull()
      expect(await change({ settled: true })).toMatchObject({ outcome: 'unchanged' })
    })

    it('wait again when the last mark is taken back, and then the one before it', async () => {
      await say('thank you', T0 + 1)
      await change({ settled: true })
      await say('really', T0 + 2)
      await change({ settled: true })
      await say('hello?', T0 + 3)
      expect(await change({ settled: false })).toMatchObject({
        conversation: { waitingSince: T0 + 2, inbox: { version: 3 } },
        activity: [{ n: 3, kind: 'settled', by: ADMIN, data: { upTo: null } }],
      })
      await reopen()
      await change({ settled: false })
      expect(await waits()).toBe(T0 + 1)
      expect(await change({ settled: false })).toMatchObject({ outcome: 'unchanged' })
      await say('answer', T0 + 4, ADMIN)
      expect(await change({ settled: true })).toMatchObject({ outcome: 'unchanged' })
      expect(await waits()).toBeNull()
    })

    it('stay settled when an admin undoes a later resolve, and messages of a resolve do when a mark is taken back', async () => {
      await say('thank you', T0 + 1)
      await change({ settled: true })
      await say('a question', T0 + 2)
      await change({ status: 'resolved' })
      expect(await change({ settled: true })).toMatchObject({ outcome: 'unchanged' })
      await change({ status: 'open' })
      expect(await waits()).toBe(T0 + 2)
      await change({ status: 'resolved' })
      await say('another', T0 + 3)
      await change({ settled: false })
      expect(await waits()).toBe(T0 + 3)
    })

    it('are settled in a snoozed conversation, and together with other changes', async () => {
      await say('thank you', T0 + 1)
      await change({ status: 'snoozed', snoozedUntil: T0 + HOUR, settled: true })
      expect(await summary()).toMatchObject({ waitingSince: null, inbox: { status: 'snoozed', version: 1 } })
      expect((await log()).map(({ kind }) => kind)).toEqual(['status', 'settled'])
      await change({ status: 'resolved' })
      await change({ status: 'open', settled: true })
      expect(await summary()).toMatchObject({ waitingSince: null, inbox: { status: 'open' } })
    })

    it('are settled only in the version that the admin saw', async () => {
      await say('thank you', T0 + 1)
      await change({ assigneeId: ADMIN })
      expect(await change({ settled: true }, { version: 0 })).toMatchObject({ outcome: 'stale' })
      expect(await waits()).toBe(T0 + 1)
    })

    it('do not wait again after a block, which resolves', async () => {
      await say('thank you', T0 + 1)
      await change({ settled: true })
      await say('spam', T0 + 2)
      await storage.inbox.block(VISITOR, T0 + HOUR, { by: ADMIN, at: T0 + 3 })
      await change({ status: 'open' })
      expect(await change({ settled: false })).toMatchObject({ conversation: { waitingSince: null } })
      await change({ settled: true })
      await storage.inbox.block(VISITOR, null, { by: ADMIN, at: T0 + 4 })
      expect(await waits()).toBe(T0 + 1)
    })

    it('are erased with the history', async () => {
      await say('thank you', T0 + 1)
      await change({ settled: true })
      await storage.conversations.erase(VISITOR)
      await say('anew', T0 + 2)
      expect(await waits()).toBe(T0 + 2)
      expect(await change({ settled: false })).toMatchObject({ outcome: 'unchanged' })
    })
  })

  describe('notes', () => {
    it('are stored once for each nonce', async () => {
      await append('hello')
      const first = await note('call her back')
      expect(first).toMatchObject({
        outcome: 'stored',
        activity: {
          n: 1,
          kind: 'note',
          by: ADMIN,
          afterSeq: 1,
          data: { text: 'call her back', mentions: [] },
        },
      })
      const [again, concurrent] = await Promise.all([note('call her back'), note('call her back')])
      const repeated = { outcome: 'repeated', activity: 'activity' in first && first.activity }
      expect([again, concurrent]).toEqual([repeated, repeated])
      expect(await note('other words', 'note-call her back-nonce')).toEqual({ outcome: 'nonce-taken' })
      expect(await note('call her back', 'note-call her back-nonce', SECOND_ADMIN)).toEqual({
        outcome: 'nonce-taken',
      })
      expect(await log()).toHaveLength(1)
      expect(await summary()).toMatchObject({ inbox: { version: 0 } })
    })

    it('assign in the same write, and once', async () => {
      await append('hello')
      const assignee = { userId: SECOND_ADMIN, isActive: true }
      const shared = { clientId: VISITOR, nonce: 'nonce-of-handover', by: ADMIN, text: 'yours', at: T0 + 20 }
      const handOver = { ...shared, mentions: [SECOND_ADMIN], assignee }
      const added = await storage.inbox.addNote(handOver)
      expect(added).toMatchObject({
        outcome: 'stored',
        activity: { n: 1, kind: 'note', data: { text: 'yours', mentions: [SECOND_ADMIN] } },
        inboxChanged: {
          conversation: { inbox: { assigneeId: SECOND_ADMIN, version: 1 } },
          activity: [{ n: 2, kind: 'assignee', by: ADMIN, data: { from: null, to: SECOND_ADMIN } }],
        },
      })
      await change({ assigneeId: null })
      expect(await storage.inbox.addNote(handOver)).toMatchObject({ outcome: 'repeated', activity: { n: 1 } })
      const gone = { ...handOver, assignee: { userId: 'c'.repeat(24), isActive: false } }
      expect(await storage.inbox.addNote(gone)).toMatchObject({ outcome: 'repeated' })
      expect(await storage.inbox.addNote({ ...gone, nonce: 'nonce-of-another' })).toEqual({
        outcome: 'inactive-assignee',
      })
      expect(await summary()).toMatchObject({ inbox: { assigneeId: null, version: 2 } })
      await change({ assigneeId: SECOND_ADMIN })
      const again = await storage.inbox.addNote({ ...handOver, nonce: 'nonce-of-the-next' })
      expect(again).toMatchObject({ outcome: 'stored', activity: { n: 5 }, inboxChanged: null })
      expect((await log()).map(({ kind }) => kind)).toEqual([
        'note',
        'assignee',
        'assignee',
        'assignee',
        'note',
      ])
    })

    it('need a conversation with messages', async () => {
      expect(await note('nobody')).toEqual({ outcome: 'missing' })
      expect(await storage.inbox.activity(VISITOR, { limit: 10 })).toEqual({
        activity: [],
        n: 0,
        more: false,
      })
    })

    it('keep words of any script', async () => {
      await append('hello')
      const text = '退款 👩🏽‍🎓\n“quoted” \\ and more'
      await note(text, 'nonce-of-scripts')
      expect((await log())[0]?.data).toEqual({ text, mentions: [] })
    })
  })

  it('pages the log by n, in both directions', async () => {
    await append('hello')
    for (let index = 1; index <= 7; index += 1) await note(`n${index}`)
    const page = async (query: { after?: number; before?: number; limit: number }) => {
      const { activity, n, more } = await storage.inbox.activity(VISITOR, query)
      return [activity.map((each) => each.n), n, more]
    }
    expect(await page({ limit: 3 })).toEqual([[5, 6, 7], 7, true])
    expect(await page({ limit: 3, before: 5 })).toEqual([[2, 3, 4], 7, true])
    expect(await page({ limit: 3, before: 2 })).toEqual([[1], 7, false])
    expect(await page({ limit: 3, after: 0 })).toEqual([[1, 2, 3], 7, true])
    expect(await page({ limit: 3, after: 5 })).toEqual([[6, 7], 7, false])
    expect(await page({ limit: 3, after: 7 })).toEqual([[], 7, false])
    expect(await page({ limit: 9, after: 1, before: 4 })).toEqual([[2, 3], 7, false])
  })

  it('finds due snoozes, and ends only those', async () => {
    for (const [index, clientId] of [VISITOR, OTHER].entries()) {
      await append('hello', { clientId })
      await change({ status: 'snoozed', snoozedUntil: T0 + HOUR * (2 - index) }, {}, clientId)
    }
    expect(await storage.inbox.dueSnoozes(T0 + HOUR - 1, 10)).toEqual([])
    expect(await storage.inbox.dueSnoozes(T0 + 3 * HOUR, 10)).toEqual([OTHER, VISITOR])
    expect(await storage.inbox.dueSnoozes(T0 + 3 * HOUR, 1)).toEqual([OTHER])
    const end = (clientId: string) =>
      change({ status: 'open' }, { by: null, onlyDueBy: T0 + HOUR }, clientId).then(({ outcome }) => outcome)
    expect(await Promise.all([end(OTHER), end(OTHER), end(VISITOR)])).toEqual(
      expect.arrayContaining(['stored', 'unchanged', 'unchanged']),
    )
    expect(await summary(VISITOR)).toMatchObject({ inbox: { status: 'snoozed' } })
    expect(await log(OTHER)).toMatchObject([
      { data: { to: 'snoozed', until: new Date(T0 + HOUR).toISOString() } },
      { by: null, data: { from: 'snoozed', to: 'open' } },
    ])
  })

  it('erases the log, the state and the labels with the messages', async () => {
    await append('hello')
    await change({ status: 'resolved', assigneeId: ADMIN, labels: ['Refund'] })
    await note('secret')
    await storage.conversations.erase(VISITOR)
    expect(await storage.inbox.activity(VISITOR, { limit: 10 })).toEqual({ activity: [], n: 0, more: false })
    expect(await storage.inbox.labels(10)).toEqual([])
    expect(await storage.inbox.counts(ADMIN, T0)).toMatchObject({ all: 0, resolved: 0, mine: 0 })
    expect(await change({ status: 'open' })).toEqual({ outcome: 'missing' })
    await append('new start')
    expect(await summary()).toMatchObject({
      inbox: { status: 'open', assigneeId: null, labels: [], version: 0 },
    })
    expect(await note('secret')).toMatchObject({ outcome: 'stored', activity: { n: 1 } })
    expect(await storage.inbox.counts(ADMIN, T0)).toMatchObject({ all: 1, open: 1 })
  })

  describe('filters', () => {
    const id = (index: number) => `Filter${String(index).padStart(14, '0')}`
    /** 24 conversations in every combination of status, assignee, label and unread. */
    async function fill() {
      const all = []
      for (let index = 0; index < 24; index += 1) {
        const clientId = id(index)
        const status = (['open', 'snoozed', 'resolved'] as const)[index % 3] as Status
        const assigneeId = [null, ADMIN][Math.floor(index / 3) % 2] ?? null
        const labels = [[], ['Refund', `Own ${index}`]][Math.floor(index / 6) % 2] ?? []
        const unread = index < 12
        await append('hello', { clientId, at: T0 + index })
        if (index % 4 === 0) await append('answer', { clientId, senderId: ADMIN, at: T0 + 100 + index })
        if (!unread) await storage.conversations.markRead(clientId, 'admin', 1)
        await change({ status, assigneeId, labels, snoozedUntil: T0 + HOUR }, {}, clientId)
        all.push({ clientId, status, assigneeId, labels, unread, index })
      }
      return all
    }

    it('combine, keep the order of the list, and page', async () => {
      const all = await fill()
      const order = await listed({})
      expect(order).toHaveLength(24)
      const cases: [ConversationFilter, (each: (typeof all)[number]) => boolean][] = [
        [{ statuses: ['open'] }, ({ status }) => status === 'open'],
        [{ statuses: ['snoozed', 'resolved'] }, ({ status }) => status !== 'open'],
        [{ assigneeId: ADMIN }, ({ assigneeId }) => assigneeId === ADMIN],
        [
          { assigneeId: null, statuses: ['open'] },
          (each) => each.assigneeId === null && each.status === 'open',
        ],
        [{ label: 'REFUND' }, ({ labels }) => labels.length > 0],
        [{ label: 'own 7' }, ({ index }) => index === 7],
        [{ label: 'none' }, () => false],
        [{ unread: true }, ({ unread }) => unread],
        [
          { unread: true, label: 'refund', assigneeId: ADMIN, statuses: ['open', 'resolved'] },
          (each) =>
            each.unread && each.labels.length > 0 && each.assigneeId === ADMIN && each.status !== 'snoozed',
        ],
      ]
      for (const [filter, matches] of cases) {
        const ids = new Set(all.filter(matches).map(({ clientId }) => clientId))
        const expected = order.filter((clientId) => ids.has(clientId))
        expect(await listed(filter), JSON.stringify(filter)).toEqual(expected)
        expect(await listed(filter, 2), `${JSON.stringify(filter)} by pages`).toEqual(expected)
      }
    })

    it('count like the tabs', async () => {
      const all = await fill()
      const count = (matches: (each: (typeof all)[number]) => boolean) => all.filter(matches).length
      const isOpen = ({ status }: { status: string }) => status === 'open'
      const expected = {
        open: count(isOpen),
        mine: count((each) => isOpen(each) && each.assigneeId === ADMIN),
        unassigned: count((each) => isOpen(each) && each.assigneeId === null),
        snoozed: count(({ status }) => status === 'snoozed'),
        resolved: count(({ status }) => status === 'resolved'),
        examSoon: 0,
        spam: 0,
        all: 24,
      }
      expect(await storage.inbox.counts(ADMIN, T0)).toEqual(expected)
      await append('back', { clientId: id(2) })
      expect(await storage.inbox.counts(ADMIN, T0)).toMatchObject({
        open: expected.open + 1,
        resolved: expected.resolved - 1,
      })
      await reopen()
      expect(await storage.inbox.counts(SECOND_ADMIN, T0)).toMatchObject({ all: 24, mine: 0 })
    })

    it('by exam is empty without exams', async () => {
      await append('hello')
      expect(await listed({ exam: { from: T0, to: T0 + EXAM_SOON_MS } })).toEqual([])
    })
  })
}
