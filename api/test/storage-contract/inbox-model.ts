import type { Message } from '@proctorpass/shared/schemas/chat'
import { LISTED_STATUSES, STATUSES, type Status } from '@proctorpass/shared/schemas/inbox'
import { describe, expect, it } from 'vitest'
import type {
  ConversationCursor,
  ConversationFilter,
} from '../../src/storage/model/conversation/conversation.ts'
import type { InboxChange } from '../../src/storage/model/conversation/inbox-changes.ts'
import { createRandom, type Random } from '../faults/random.ts'
import { type StoreUnderTest, T0 } from './store-under-test.ts'

const ADMINS = ['a', 'b'].map((letter) => letter.repeat(24))
const LABELS = ['Refund', 'refund', 'VIP', 'Exam day', 'exam DAY', '退款']
const IDS = Array.from({ length: 6 }, (_, index) => `Modelled${String(index).padStart(12, '0')}`)

/** A conversation as the contract describes it, in the simplest way. */
class Model {
  readonly clientId: string
  messages: { by: string | null; at: number; text: string; edit?: number }[] = []
  /** The number of corrections. */
  edits = 0
  log: { kind: string; by: string | null; afterSeq: number }[] = []
  status: Status = 'open'
  snoozedUntil: number | null = null
  assigneeId: string | null = null
  labels: string[] = []
  version = 0
  /** The newest message at the last resolve. */
  resolvedSeq = 0
  /** What admins settled and did not take back. */
  settles: number[] = []
  read = 0
  beforeSpam: { status: Status; snoozedUntil: number | null; messages: number } | null = null
  examAt: number | null = null

  constructor(clientId: string) {
    this.clientId = clientId
  }

  get lastAt(): number {
    return this.messages.at(-1)?.at ?? 0
  }

  get waitingSince(): number | null {
    if (this.status === 'spam' || this.status === 'resolved') return null
    const answered = this.messages.findLastIndex(({ by }) => by !== null) + 1
    return this.messages[Math.max(answered, this.settledSeq)]?.at ?? null
  }

  get settledSeq(): number {
    return Math.max(this.resolvedSeq, ...this.settles)
  }

  get unread(): number {
    return this.messages.slice(this.read).filter(({ by }) => by === null).length
  }

  say(text: string, by: string | null, at: number, then: InboxChange = {}): void {
    this.messages.push({ by, at: Math.max(at, this.lastAt), text })
    if (by === null && this.status !== 'open' && this.status !== 'spam') this.change({ status: 'open' }, null)
    if (by !== null && this.assigneeId === null) this.change({ assigneeId: by }, by)
    if (by !== null) this.change(then, by)
  }

  /** Corrects the newest message, and returns its earlier words. Neither the version nor the wait moves. */
  edit(text: string, by: string): string {
    const newest = this.messages.at(-1) as Model['messages'][number]
    const earlier = newest.text
    this.edits += 1
    Object.assign(newest, { text, edit: this.edits })
    this.add('edit', by)
    return earlier
  }

  add(kind: string, by: string | null): void {
    this.log.push({ kind, by, afterSeq: this.messages.length })
  }

  get unmarkedStatus(): Status {
    if (this.beforeSpam === null) return this.status
    return this.messages.slice(this.beforeSpam.messages).some(({ by }) => by === null)
      ? 'open'
      : this.beforeSpam.status
  }

  /** Takes back the mark as spam. */
  restore(by: string, at: number): void {
    if (this.beforeSpam === null) return
    const { resolvedSeq } = this
    const { snoozedUntil } = this.beforeSpam
    const isOver = this.unmarkedStatus === 'snoozed' && (snoozedUntil ?? 0) <= at
    this.change({ status: isOver ? 'open' : this.unmarkedStatus, snoozedUntil }, by)
    this.resolvedSeq = resolvedSeq
  }

  change(
    { status = this.status, snoozedUntil, assigneeId, labels, settled, upTo }: InboxChange,
    by: string | null,
  ): void {
    const before = this.log.length
    const { waitingSince, settledSeq } = this
    const isQuiet = status === 'resolved' || status === 'spam'
    const isReopened = this.unmarkedStatus === 'resolved' && !isQuiet && by !== null
    const isAwake = isReopened || (this.status === 'spam' && !isQuiet)
    const until = status !== 'snoozed' ? null : snoozedUntil === undefined ? this.snoozedUntil : snoozedUntil
    if (status !== this.status || until !== this.snoozedUntil) this.add('status', by)
    if (assigneeId !== undefined && assigneeId !== this.assigneeId) this.add('assignee', by)
    const keys = (all: readonly string[]) => all.map((label) => label.toLowerCase()).sort()
    if (labels !== undefined && String(keys(labels)) !== String(keys(this.labels))) this.add('labels', by)
    const mark = upTo ?? this.messages.length
    const isNew = isAwake || (waitingSince !== null && mark > settledSeq)
    if (settled === true ? isNew && mark > 0 : settled === false && this.settles.length > 0) {
      this.add('settled', by)
      if (settled) this.settles.push(mark)
      else this.settles.pop()
    }
    if (this.log.length === before) return
    this.version += 1
    if (isReopened) this.resolvedSeq = 0
    if (status !== 'spam') this.beforeSpam = null
    else if (this.status !== 'spam') {
      this.beforeSpam = {
        status: this.status,
        snoozedUntil: this.snoozedUntil,
        messages: this.messages.length,
      }
    }
    this.status = status
    this.snoozedUntil = until
    if (assigneeId !== undefined) this.assigneeId = assigneeId
    if (labels !== undefined) this.labels = [...labels]
    if (status === 'resolved') this.resolvedSeq = this.messages.length
  }
}

/** The order of the list. */
function inOrder(a: Model, b: Model): number {
  const byId = a.clientId < b.clientId ? -1 : 1
  if (a.waitingSince === null && b.waitingSince === null) return b.lastAt - a.lastAt || byId
  return (a.waitingSince ?? Infinity) - (b.waitingSince ?? Infinity) || byId
}

/** Random changes of some conversations, compared with the model of them. */
export function describeInboxModel({ storage, append, reopen }: StoreUnderTest): void {
  describe('the inbox after random changes', () => {
    it.each([11, 12, 13])('is as its model says, seed %i', async (seed) => {
      const random = createRandom(seed, 'inbox')
      const models = new Map(IDS.map((id) => [id, new Model(id)]))
      for (let step = 1; step <= 160; step += 1) {
        const model = models.get(random.pick(IDS)) as Model
        await doSomething(model, random, step)
        if (step % 40 === 0) await expectAll()
      }
      await reopen()
      await expectAll()

      async function expectAll() {
        const present = [...models.values()].filter(({ messages }) => messages.length > 0)
        const counted = present.filter(({ status }) => status !== 'spam')
        for (const model of models.values()) {
          await expectLog(model)
          await expectMessages(model, random)
        }
        for (const filter of filters(present)) await expectList(filter, present)
        const open = present.filter(({ status }) => status === 'open')
        const resolved = present.filter(({ status }) => status === 'resolved').length
        const now = T0 + 50
        expect(await storage.inbox.counts(ADMINS[0] as string, now)).toEqual({
          open: open.length,
          mine: open.filter(({ assigneeId }) => assigneeId === ADMINS[0]).length,
          unassigned: open.filter(({ assigneeId }) => assigneeId === null).length,
          snoozed: counted.length - open.length - resolved,
          resolved,
          spam: present.length - counted.length,
          all: counted.length,
          examSoon: counted.filter((each) => each.status !== 'resolved' && (each.examAt ?? 0) >= now).length,
        })
        const waiting = present.filter(({ waitingSince }) => waitingSince !== null).sort(inOrder)
        expect(await storage.inbox.now(2)).toEqual({
          open: open.length,
          waiting: waiting.length,
          longest: waiting
            .slice(0, 2)
            .map(({ clientId, waitingSince }) => ({ clientId, since: waitingSince })),
        })
        const due = present.filter(({ snoozedUntil }) => snoozedUntil !== null && snoozedUntil <= T0 + 500)
        expect((await storage.inbox.dueSnoozes(T0 + 500, 100)).sort()).toEqual(
          due.map(({ clientId }) => clientId).sort(),
        )
        const keys = new Set(present.flatMap(({ labels }) => labels.map((label) => label.toLowerCase())))
        expect((await storage.inbox.labels(100)).map((label) => label.toLowerCase()).sort()).toEqual(
          [...keys].sort(),
        )
        const unread = counted.reduce((sum, model) => sum + model.unread, 0)
        expect(await storage.conversations.totalAdminUnread()).toBe(unread)
      }
    })

    async function doSomething(model: Model, random: Random, step: number): Promise<void> {
      const { clientId } = model
      const admin = random.pick(ADMINS)
      const at = T0 + step
      const kind = random.integer(0, 11)
      if (model.messages.length === 0 || kind <= 2) {
        model.say('a question', null, at)
        await append('a question', { clientId, at })
      } else if (kind >= 10) {
        await edit(model, random, step)
      } else if (kind === 3) {
        const then = random.pick([null, { status: 'resolved' }, { status: 'snoozed' }] as const)
        const snoozedUntil = then?.status === 'snoozed' ? T0 + random.pick([300, 700]) : null
        const message = { clientId, senderId: admin, at, nonce: `answer-${step}-xxxx` }
        const sent = { ...message, then: then && { ...then, snoozedUntil } }
        model.say('an answer', admin, at, then ? { ...then, snoozedUntil } : {})
        expect(await append('an answer', sent)).toMatchObject({ outcome: 'stored' })
        // A repeated message changes nothing, also when the visitor has reopened the conversation.
        const next = random.pick(['message', 'correction', 'nothing'])
        if (next === 'message') {
          model.say('thanks', null, at)
          await append('thanks', { clientId, at })
        } else if (next === 'correction') {
          model.edit('a better answer', admin)
          const nonce = `edit-${step}-first`
          const edited = {
            clientId,
            seq: model.messages.length,
            nonce,
            by: admin,
            message: 'a better answer',
            at,
          }
          expect(await storage.inbox.edit(edited)).toMatchObject({ outcome: 'stored' })
        }
        // It is recognized by the words that were sent, and answered with the newest ones.
        const { text } = model.messages.findLast(({ by }) => by === admin) as Model['messages'][number]
        expect(await append('an answer', sent)).toMatchObject({
          outcome: 'repeated',
          message: { message: text },
        })
      } else if (kind <= 6) {
        const isRestored = model.status === 'spam' && random.integer(0, 1) === 0
        const change = isRestored ? { spam: false as const } : randomChange(model, random)
        const { version } = model
        if (isRestored) model.restore(admin, at)
        else model.change(change, admin)
        const outcome = await storage.inbox.change(clientId, change, { by: admin, at, version })
        expect(outcome.outcome).toBe(model.version === version ? 'unchanged' : 'stored')
      } else if (kind === 7) {
        model.add('note', admin)
        const userId = random.pick([null, ...ADMINS])
        const assignee = userId === null ? undefined : { userId, isActive: true }
        const nonce = `note-${step}-x`
        const note = { clientId, by: admin, text: `note ${step}`, mentions: [], nonce, assignee, at }
        const { length: n } = model.log
        if (userId !== null) model.change({ assigneeId: userId }, admin)
        expect(await storage.inbox.addNote(note)).toMatchObject({ activity: { n } })
      } else if (kind === 8) {
        const examAt = random.pick([null, T0 + 20, T0 + 60, T0 + 900])
        if (examAt !== model.examAt) model.add('profile', admin)
        model.examAt = examAt
        await storage.visitors.update(clientId, { examAt }, { by: admin, at })
      } else if (random.integer(0, 3) > 0) {
        model.read = Math.max(model.read, random.integer(1, model.messages.length))
        await storage.conversations.markRead(clientId, 'admin', model.read)
      } else {
        Object.assign(model, new Model(clientId))
        await storage.conversations.erase(clientId)
      }
    }

    /** Corrects a message twice, with the same nonce. Only the newest message changes, and only for its sender. */
    async function edit(model: Model, random: Random, step: number): Promise<void> {
      const { clientId } = model
      const seq = random.pick([model.messages.length, random.integer(1, model.messages.length)])
      const { by, text } = model.messages[seq - 1] as Model['messages'][number]
      const message = random.pick(['other words', `words ${step}`])
      const admin = random.pick([by ?? (ADMINS[0] as string), ADMINS[1] as string])
      const wanted = { clientId, seq, nonce: `edit-${step}-xxxx`, by: admin, message, at: T0 + step }
      const outcome =
        by !== admin
          ? 'not-theirs'
          : text === message
            ? 'unchanged'
            : seq < model.messages.length
              ? 'answered'
              : 'stored'
      const edited = await storage.inbox.edit(wanted)
      expect(edited.outcome).toBe(outcome)
      if (outcome !== 'stored') return
      const earlier = model.edit(message, admin)
      expect(edited).toMatchObject({
        message: { message, edit: model.edits },
        activity: { n: model.log.length, data: { seq, edit: model.edits, text: earlier } },
      })
      expect(await storage.inbox.edit(wanted)).toMatchObject({ outcome: 'unchanged', message: { message } })
      expect((await storage.inbox.edit({ ...wanted, message: 'no' })).outcome).toBe('nonce-taken')
    }

    /** The pages, the corrections after any of them, and the list have the newest words. */
    async function expectMessages({ clientId, messages, edits }: Model, random: Random): Promise<void> {
      const known = random.integer(0, edits)
      const read = { after: 0, limit: 1_000, edits: known }
      const page = await storage.messages.page(clientId, read)
      const shown = messages.map(({ text, edit: number }, index) => ({
        ...{ seq: index + 1, message: text },
        ...(number === undefined ? {} : { edit: number }),
      }))
      const parts = (found: readonly Message[] | undefined) =>
        found?.map(({ seq, message, edit: number }) => ({
          ...{ seq, message },
          ...(number === undefined ? {} : { edit: number }),
        })) ?? []
      expect(parts(page?.messages)).toEqual(shown)
      expect(page?.edits ?? 0).toBe(edits)
      expect(parts(page?.corrected)).toEqual(shown.filter(({ edit: number = 0 }) => number > known))
      const record = await storage.conversations.record(clientId)
      expect(record?.lastMessage.message).toBe(messages.at(-1)?.text)
    }

    async function expectLog(model: Model): Promise<void> {
      const { activity, n } = await storage.inbox.activity(model.clientId, { limit: 1_000 })
      expect(n).toBe(model.log.length)
      expect(activity.map(({ kind, by, afterSeq }) => ({ kind, by, afterSeq }))).toEqual(model.log)
      expect(activity.map((entry) => entry.n)).toEqual(model.log.map((_, index) => index + 1))
    }

    async function expectList(filter: ConversationFilter, present: Model[]): Promise<void> {
      const { exam } = filter
      const byExam = (a: Model, b: Model) => (a.examAt ?? 0) - (b.examAt ?? 0) || inOrderOfId(a, b)
      const expected = present
        .filter((model) => matches(model, filter))
        .sort(exam === undefined ? inOrder : byExam)
      const found = []
      let after: ConversationCursor | undefined
      do {
        const page = await storage.conversations.list({ limit: 2, after, filter })
        found.push(...page.conversations)
        after = page.next ?? undefined
      } while (after !== undefined)
      expect(
        found.map(({ clientId, waitingSince, adminUnread, inbox }) => ({
          ...{ clientId, waitingSince, adminUnread },
          ...{ ...inbox, labels: inbox.labels.map((label) => label.toLowerCase()).sort() },
        })),
        JSON.stringify(filter),
      ).toEqual(
        expected.map(({ clientId, waitingSince, unread, ...model }) => ({
          ...{ clientId, waitingSince, adminUnread: unread },
          ...{ status: model.status, snoozedUntil: model.snoozedUntil, assigneeId: model.assigneeId },
          ...{ labels: model.labels.map((label) => label.toLowerCase()).sort(), version: model.version },
        })),
      )
    }
  })
}

function inOrderOfId(a: Model, b: Model): number {
  return a.clientId < b.clientId ? -1 : 1
}

function randomChange(model: Model, random: Random): InboxChange {
  const change: InboxChange = {}
  if (random.integer(0, 1) === 0) {
    change.status = random.pick(STATUSES)
    // Some snoozes are over before a mark as spam is taken back.
    if (change.status === 'snoozed') change.snoozedUntil = T0 + random.pick([120, 300, 700])
  }
  if (random.integer(0, 2) === 0) {
    change.settled = random.integer(0, 2) > 0
    if (change.settled && random.integer(0, 1) === 0) change.upTo = random.integer(0, model.messages.length)
  }
  if (random.integer(0, 2) === 0) change.assigneeId = random.pick([null, ...ADMINS])
  if (random.integer(0, 2) === 0) {
    // One writing of each.
    const labels = new Map(
      Array.from({ length: random.integer(0, 3) }, () => random.pick(LABELS)).map((label) => [
        label.toLowerCase(),
        label,
      ]),
    )
    change.labels = random.integer(0, 3) === 0 ? model.labels : [...labels.values()]
  }
  return change
}

/** Every combination that a tab or a menu makes, and some more. */
function filters(present: Model[]): ConversationFilter[] {
  const label = present.find(({ labels }) => labels.length > 0)?.labels[0] ?? 'Refund'
  const exam = { from: T0 + 20, to: T0 + 60 }
  const open = ['open'] as const
  return [
    {},
    { statuses: open },
    { statuses: ['snoozed'] },
    { statuses: ['resolved', 'open'] },
    { statuses: STATUSES, unread: true },
    { statuses: ['spam'] },
    { statuses: ['spam', 'snoozed'], label },
    { statuses: open, assigneeId: null },
    { statuses: open, assigneeId: ADMINS[0] as string },
    { assigneeId: null },
    { assigneeId: ADMINS[1] as string, unread: true },
    { label: label.toUpperCase() },
    { label, statuses: open },
    { label, assigneeId: ADMINS[0] as string, unread: true },
    { unread: true },
    { exam },
    { exam, statuses: ['open', 'resolved'], unread: true },
    { exam, assigneeId: null, label },
  ]
}

function matches(model: Model, { statuses, assigneeId, label, unread, exam }: ConversationFilter): boolean {
  const listed: readonly Status[] = statuses ?? LISTED_STATUSES
  if (!listed.includes(model.status)) return false
  if (assigneeId !== undefined && model.assigneeId !== assigneeId) return false
  if (label !== undefined && !model.labels.some((own) => own.toLowerCase() === label.toLowerCase()))
    return false
  if (unread && model.unread === 0) return false
  if (exam === undefined) return true
  return (
    model.status !== 'resolved' &&
    model.status !== 'spam' &&
    model.examAt !== null &&
    model.examAt >= exam.from &&
    model.examAt <= exam.to
  )
}
