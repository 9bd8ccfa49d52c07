import { describe, expect, it } from 'vitest'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const SECOND = 'b'.repeat(24)
const MINUTE = 60_000
const NONCE = 'scheduled-nonce-1'

export function describeScheduled({ storage, append, texts, reopen }: StoreUnderTest): void {
  type Inbox = StoreUnderTest['storage']['inbox']
  const schedule = (options: Partial<Parameters<Inbox['schedule']>[0]> = {}) =>
    storage.inbox.schedule({
      ...{ clientId: VISITOR, nonce: NONCE, by: ADMIN, message: 'Good morning', attachments: [] },
      ...{ sendAt: T0 + MINUTE, anyway: false, at: T0 + 1, ...options },
    })
  const waiting = async () => (await storage.inbox.scheduled(VISITOR)).map(({ nonce }) => nonce)
  const entries = async () =>
    (await storage.inbox.activity(VISITOR, { after: 0, limit: 50 })).activity
      .filter(({ kind }) => kind === 'scheduled')
      .map(({ by, data, afterSeq }) => ({ by, afterSeq, ...data }))
  const send = async (nonce = NONCE, at = T0 + MINUTE) => {
    const found = (await storage.inbox.scheduled(VISITOR)).find((each) => each.nonce === nonce)
    if (found === undefined) throw new Error('Nothing waits.')
    const { by: senderId, message, version, attachments } = found
    return storage.messages.append({
      ...{ clientId: VISITOR, senderId, message, nonce, scheduled: version, at },
      attachments: attachments.map(({ _id }) => _id),
    })
  }
  const ISO = new Date(T0 + MINUTE).toISOString()

  describe('scheduled messages', () => {
    it('are stored once for each nonce, in the order of their times', async () => {
      expect(await schedule()).toEqual({ outcome: 'missing' })
      await append('a question')
      expect(await schedule()).toMatchObject({
        outcome: 'stored',
        record: { nonce: NONCE, by: ADMIN, message: 'Good morning', sendAt: T0 + MINUTE, version: 1 },
        activity: { kind: 'scheduled', by: ADMIN, data: { action: 'created', sendAt: ISO } },
        scheduled: [{ nonce: NONCE }],
      })
      expect(await schedule({ at: T0 + 2 })).toMatchObject({ outcome: 'repeated', record: { version: 1 } })
      expect(await schedule({ message: 'Something else' })).toEqual({ outcome: 'nonce-taken' })
      expect(await schedule({ by: SECOND })).toEqual({ outcome: 'nonce-taken' })
      await schedule({ nonce: 'scheduled-nonce-2', sendAt: T0 + 2, anyway: true })
      await reopen()
      expect(await waiting()).toEqual(['scheduled-nonce-2', NONCE])
      expect(await entries()).toHaveLength(2)
      expect(await texts()).toEqual(['a question'])
      expect(await storage.conversations.find(VISITOR)).toMatchObject({ seq: 1 })
    })

    it('are refused in the past, in spam, under the nonce of a message, and if ten wait', async () => {
      await append('a question', { nonce: 'nonce-of-a-message' })
      expect(await schedule({ sendAt: T0 + 1, at: T0 + 1 })).toEqual({ outcome: 'past' })
      expect(await schedule({ nonce: 'nonce-of-a-message' })).toEqual({ outcome: 'nonce-taken' })
      for (let count = 0; count < 10; count += 1) await schedule({ nonce: `scheduled-${count}-xx` })
      expect(await schedule()).toEqual({ outcome: 'full' })
      await storage.inbox.change(VISITOR, { status: 'spam' }, { by: ADMIN, at: T0 + 2 })
      expect(await schedule()).toEqual({ outcome: 'spam' })
      expect(await storage.inbox.dueMessages(T0 + MINUTE, 5)).toMatchObject([
        { clientId: VISITOR, status: 'spam', due: { length: 10 } },
      ])
    })

    it('are found when they are due, and sent once', async () => {
      await append('a question')
      await append('another', { clientId: OTHER })
      await schedule()
      await schedule({ nonce: 'scheduled-nonce-2', sendAt: T0 + 2 * MINUTE })
      expect(await storage.inbox.dueMessages(T0 + MINUTE - 1, 5)).toEqual([])
      expect(await storage.inbox.dueMessages(T0 + MINUTE, 5)).toMatchObject([
        { clientId: VISITOR, status: 'open', due: [{ nonce: NONCE }] },
      ])
      const record = (await storage.inbox.scheduled(VISITOR))[0]
      expect(await send()).toMatchObject({
        outcome: 'stored',
        message: { seq: 2, senderId: ADMIN, message: 'Good morning', nonce: NONCE },
        waitedSince: T0,
        inboxChanged: {
          conversation: { inbox: { assigneeId: ADMIN } },
          scheduled: [{ nonce: 'scheduled-nonce-2' }],
        },
      })
      expect(await waiting()).toEqual(['scheduled-nonce-2'])
      const again = { senderId: ADMIN, nonce: NONCE, scheduled: record?.version }
      expect(await append('Good morning', { ...again, at: T0 + MINUTE })).toMatchObject({
        outcome: 'repeated',
      })
      expect(await schedule({ at: T0 + 5 * MINUTE })).toMatchObject({
        outcome: 'repeated',
        record: null,
        message: { seq: 2 },
        entry: { data: { sendAt: ISO } },
      })
      expect(await storage.inbox.messageUnder(VISITOR, NONCE)).toMatchObject({ seq: 2 })
      await reopen()
      expect(await texts()).toEqual(['a question', 'Good morning'])
      expect(await storage.inbox.dueMessages(T0 + MINUTE, 5)).toEqual([])
    })

    it('leave what waits as it was when another admin writes', async () => {
      await append('a question')
      await schedule()
      await append('One moment', { senderId: SECOND, at: T0 + 2 })
      expect(await waiting()).toEqual([NONCE])
      await send()
      expect(await texts()).toEqual(['a question', 'One moment', 'Good morning'])
    })

    it('are canceled by a message of the visitor in its write, unless they are sent anyway', async () => {
      await append('a question')
      await schedule()
      await schedule({ nonce: 'scheduled-nonce-2', anyway: true })
      const record = (await storage.inbox.scheduled(VISITOR))[0]
      expect(await append('never mind', { at: T0 + 2 })).toMatchObject({
        outcome: 'stored',
        inboxChanged: {
          activity: [
            {
              ...{ kind: 'scheduled', by: null, afterSeq: 2, at: T0 + 2 },
              data: { action: 'canceled', sendAt: ISO, reason: 'visitor', text: 'Good morning' },
            },
          ],
          scheduled: [{ nonce: 'scheduled-nonce-2' }],
        },
      })
      await reopen()
      expect(await waiting()).toEqual(['scheduled-nonce-2'])
      const late = { senderId: ADMIN, nonce: NONCE, scheduled: record?.version, at: T0 + MINUTE }
      expect(await append('Good morning', late)).toEqual({ outcome: 'unscheduled' })
      expect(await schedule({ at: T0 + 3 })).toMatchObject({
        outcome: 'repeated',
        record: null,
        message: null,
      })
      expect(await storage.inbox.unschedule(VISITOR, NONCE, { reason: 'admin', by: ADMIN, at: T0 })).toEqual({
        outcome: 'missing',
      })
      expect(await texts()).toEqual(['a question', 'never mind'])
    })

    it('are canceled in spam too, and by a blocked visitor who wrote before the block', async () => {
      await append('a question')
      await storage.inbox.change(VISITOR, { status: 'resolved' }, { by: ADMIN, at: T0 + 1 })
      await schedule()
      await append('more', { at: T0 + 2 })
      expect(await storage.conversations.record(VISITOR)).toMatchObject({ inbox: { status: 'open' } })
      expect(await waiting()).toEqual([])
      await schedule({ nonce: 'scheduled-nonce-2' })
      await storage.inbox.change(VISITOR, { status: 'spam' }, { by: ADMIN, at: T0 + 3 })
      expect(await waiting()).toEqual(['scheduled-nonce-2'])
      await append('buy now', { at: T0 + 4 })
      expect(await waiting()).toEqual([])
    })

    it('are changed only while their version waits, and are sent by the admin who changed the words', async () => {
      await append('a question')
      await schedule()
      const change = (wanted: Parameters<Inbox['reschedule']>[2], by = SECOND) =>
        storage.inbox.reschedule(VISITOR, NONCE, wanted, { by, at: T0 + 2 })
      expect(await change({ version: 2, message: 'Hi' })).toEqual({ outcome: 'stale' })
      expect(await change({ version: 1 })).toMatchObject({ outcome: 'unchanged', record: { version: 1 } })
      expect(await change({ version: 1, sendAt: T0 + 1 })).toEqual({ outcome: 'past' })
      const later = T0 + 2 * MINUTE
      expect(await change({ version: 1, sendAt: later })).toMatchObject({
        outcome: 'stored',
        record: { by: ADMIN, version: 2, sendAt: later },
        activity: { by: SECOND, data: { action: 'changed', sendAt: new Date(later).toISOString() } },
      })
      expect(await change({ version: 2, message: 'Hi', anyway: true })).toMatchObject({
        record: { by: SECOND, message: 'Hi', anyway: true, version: 3 },
      })
      await reopen()
      const old = { senderId: ADMIN, nonce: NONCE, scheduled: 2, at: later }
      expect(await append('Good morning', old)).toEqual({ outcome: 'unscheduled' })
      // A repeated request finds the message as it is now.
      expect(await schedule({ at: T0 + 3 })).toMatchObject({ outcome: 'repeated', record: { message: 'Hi' } })
      expect(await send()).toMatchObject({ outcome: 'stored', message: { senderId: SECOND, message: 'Hi' } })
      expect(await change({ version: 3, message: 'No' })).toEqual({ outcome: 'sent' })
      expect(await texts()).toEqual(['a question', 'Hi'])
    })

    it('are canceled once, with their words, and then never sent', async () => {
      await append('a question')
      await schedule()
      const cancel = { reason: 'admin', by: SECOND, at: T0 + 2 } as const
      expect(await storage.inbox.unschedule(VISITOR, NONCE, { ...cancel, version: 2 })).toEqual({
        outcome: 'missing',
      })
      expect(await storage.inbox.unschedule(VISITOR, NONCE, cancel)).toMatchObject({
        outcome: 'stored',
        scheduled: [],
      })
      expect(await storage.inbox.unschedule(VISITOR, NONCE, cancel)).toEqual({ outcome: 'missing' })
      expect((await entries()).at(-1)).toEqual({
        ...{ by: SECOND, afterSeq: 1, action: 'canceled', sendAt: ISO, reason: 'admin' },
        text: 'Good morning',
      })
      const sent = { senderId: ADMIN, nonce: NONCE, scheduled: 1, at: T0 + MINUTE }
      expect(await append('Good morning', sent)).toEqual({ outcome: 'unscheduled' })
      expect(await texts()).toEqual(['a question'])
    })

    it('are never both sent and canceled', async () => {
      await append('a question')
      for (let round = 0; round < 10; round += 1) {
        const nonce = `scheduled-round-${round}`
        await schedule({ nonce })
        const asSent = { senderId: ADMIN, nonce, scheduled: 1, at: T0 + MINUTE }
        const [sent, canceled] = await Promise.all([
          append('Good morning', asSent),
          storage.inbox.unschedule(VISITOR, nonce, { reason: 'admin', by: ADMIN, at: T0 + 3 }),
          append(`a visitor's ${round}`, { at: T0 + 3 }),
        ])
        const isSent = (await storage.inbox.messageUnder(VISITOR, nonce)) !== null
        expect(isSent).toBe(sent.outcome === 'stored')
        const byEntry = (await entries()).filter(
          (entry) => 'action' in entry && entry.action === 'canceled',
        ).length
        const byMessage = (await texts())?.filter((text) => text === 'Good morning').length ?? 0
        expect(byEntry + byMessage, canceled.outcome).toBe(round + 1)
        expect(await waiting()).toEqual([])
      }
    })

    it('keep their files, which expire when they are canceled', async () => {
      await append('a question')
      const row = { clientId: VISITOR, senderId: ADMIN, sentHash: 's', keyHash: null, createdAt: T0 }
      const file = { name: 'a.pdf', type: 'application/pdf', bytes: 5, width: null, height: null } as const
      const ids = ['1', '2', '3'].map((digit) => digit.repeat(24))
      const bounds = { files: 50, bytes: 1_000, unsentBytes: null }
      for (const _id of ids) {
        await storage.attachments.add({ ...row, ...file, _id, nonce: `nonce-of-${_id}` }, bounds)
      }
      const [sent = '', canceled = '', unsent = ''] = ids
      expect(await schedule({ attachments: ['9'.repeat(24)] })).toEqual({ outcome: 'unknown-file' })
      expect(await schedule({ attachments: [sent] })).toMatchObject({
        record: { attachments: [{ _id: sent, name: 'a.pdf', type: 'application/pdf', bytes: 5 }] },
      })
      expect(await schedule({ attachments: [sent], at: T0 + 2 })).toMatchObject({ outcome: 'repeated' })
      const second = { nonce: 'scheduled-nonce-2', message: '', attachments: [canceled] }
      expect(await schedule({ ...second, attachments: [sent] })).toEqual({ outcome: 'file-used' })
      await schedule(second)
      const listUnsent = () => storage.attachments.listUnsent({ before: T0 + 1, limit: 10 })
      expect(await listUnsent()).toEqual([unsent])
      await storage.inbox.reschedule(
        VISITOR,
        NONCE,
        { version: 1, message: 'Hi' },
        { by: SECOND, at: T0 + 2 },
      )
      await append('never mind', { at: T0 + 3 })
      await schedule({ nonce: 'scheduled-nonce-3', attachments: [unsent], message: 'Look' })
      await storage.inbox.reschedule(
        ...([VISITOR, 'scheduled-nonce-3', { version: 1, message: 'Hi' }] as const),
        { by: SECOND, at: T0 + 4 },
      )
      expect((await listUnsent()).sort()).toEqual([sent, canceled].sort())
      expect(await send('scheduled-nonce-3')).toMatchObject({
        message: { senderId: SECOND, attachments: [{ _id: unsent }] },
      })
      expect((await listUnsent()).sort()).toEqual([sent, canceled].sort())
      expect(await storage.attachments.find(VISITOR, unsent)).toMatchObject({
        messageNonce: 'scheduled-nonce-3',
      })
    })

    it('are gone with their history', async () => {
      await append('a question')
      await schedule()
      await storage.conversations.erase(VISITOR)
      expect(await waiting()).toEqual([])
      expect(await storage.inbox.dueMessages(T0 + MINUTE, 5)).toEqual([])
      await append('hello again', { at: T0 + 2 })
      expect(await waiting()).toEqual([])
      expect(await schedule()).toMatchObject({ outcome: 'stored', record: { version: 1 } })
    })
  })
}
