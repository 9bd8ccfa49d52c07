import { EDIT_MS, SUMMARY_TEXT_MAX } from '@proctorpass/shared/limits'
import { describe, expect, it } from 'vitest'
import type { Edited, NewEdit } from '../../src/storage/model/conversation/edits.ts'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

let nonces = 0

export function describeEdits({ storage, append, texts, reopen }: StoreUnderTest): void {
  const edit = (message: string, options: Partial<NewEdit> = {}): Promise<Edited> => {
    nonces += 1
    const defaults = { clientId: VISITOR, seq: 2, nonce: `edit-${nonces}-xxxx`, by: ADMIN, message }
    return storage.inbox.edit({ ...defaults, at: T0 + 10, ...options })
  }
  const talk = async () => {
    await append('a question')
    await append('an anser', { senderId: ADMIN, nonce: 'answer-xxxx', at: T0 + 1 })
  }
  const page = (query = {}) => storage.messages.page(VISITOR, { limit: 200, ...query })

  describe('a correction', () => {
    it('changes the words, and logs the earlier ones, in one write', async () => {
      await talk()
      const before = await storage.conversations.record(VISITOR)
      expect(await edit('an answer')).toMatchObject({
        outcome: 'stored',
        message: { seq: 2, message: 'an answer', edit: 1, editedAt: new Date(T0 + 10).toISOString() },
        activity: { n: 2, kind: 'edit', by: ADMIN, data: { seq: 2, edit: 1, text: 'an anser' } },
      })
      await reopen()
      expect(await texts()).toEqual(['a question', 'an answer'])
      const after = await storage.conversations.record(VISITOR)
      expect(after?.lastMessage).toMatchObject({ message: 'an answer', edit: 1 })
      // Nothing else moves.
      expect({ ...after, lastMessage: null }).toEqual({ ...before, lastMessage: null })
      expect(await storage.conversations.find(VISITOR)).toMatchObject({ edits: 1, seq: 2, adminUnread: 1 })
      expect(await storage.conversations.find(OTHER)).toBeNull()
    })

    it('is numbered in its conversation, and read in order and in parts', async () => {
      await append('a question')
      for (const [index, text] of ['one', 'two', 'three'].entries()) {
        await append(text, { senderId: ADMIN, at: T0 + 1 })
        await edit(`${text}!`, { seq: index + 2 })
      }
      await edit('three!!', { seq: 4 })
      expect(await page({ after: 4, edits: 0 })).toMatchObject({
        ...{ messages: [], edits: 4, more: false },
        corrected: [
          { seq: 2, edit: 1, message: 'one!' },
          { seq: 3, edit: 2, message: 'two!' },
          { seq: 4, edit: 4, message: 'three!!' },
        ],
      })
      expect(await page({ after: 4, edits: 0, limit: 2 })).toMatchObject({
        more: true,
        corrected: [{ edit: 1 }, { edit: 2 }],
      })
      expect(await page({ after: 4, edits: 2, limit: 2 })).toMatchObject({
        more: false,
        corrected: [{ edit: 4 }],
      })
      expect((await page({ after: 4, edits: 4 }))?.corrected).toEqual([])
      expect(await page({ after: 4 })).not.toHaveProperty('corrected')
      // A page that messages fill still has some, so that every page brings a client further.
      expect(await page({ after: 0, edits: 3, limit: 2 })).toMatchObject({
        more: true,
        corrected: [{ edit: 4 }],
      })
    })

    it('is refused once anyone has written, after 15 minutes, and for all but the sender', async () => {
      await talk()
      expect(await edit('x', { seq: 1 })).toEqual({ outcome: 'not-theirs' })
      expect(await edit('x', { seq: 1, by: VISITOR })).toEqual({ outcome: 'not-theirs' })
      expect(await edit('x', { by: 'b'.repeat(24) })).toEqual({ outcome: 'not-theirs' })
      expect(await edit('x', { seq: 3 })).toEqual({ outcome: 'missing' })
      expect(await edit('x', { clientId: OTHER })).toEqual({ outcome: 'missing' })
      expect(await edit('x', { epoch: 'old' })).toEqual({ outcome: 'stale-epoch' })
      expect(await edit('')).toEqual({ outcome: 'empty' })
      expect(await edit('x', { at: T0 + 2 + EDIT_MS })).toEqual({ outcome: 'too-late' })
      expect(await edit('in time', { at: T0 + 1 + EDIT_MS })).toMatchObject({ outcome: 'stored' })
      await append('thanks', { at: T0 + 3 })
      expect(await edit('x')).toEqual({ outcome: 'answered' })
      expect(await texts()).toEqual(['a question', 'in time', 'thanks'])
    })

    it('is stored once for its nonce, at any later time', async () => {
      await talk()
      await edit('first', { nonce: 'edit-first' })
      await edit('second', { nonce: 'edit-second' })
      await append('thanks', { at: T0 + 20 })
      for (const nonce of ['edit-first', 'edit-second']) {
        const again = { nonce, at: T0 + 2 * EDIT_MS }
        expect(await edit(nonce.slice(5), again)).toMatchObject({
          outcome: 'unchanged',
          message: { message: 'second', edit: 2 },
        })
        expect(await edit('other words', again)).toEqual({ outcome: 'nonce-taken' })
      }
      expect(await edit('second', { at: T0 + 2 * EDIT_MS })).toMatchObject({ outcome: 'unchanged' })
      const note = { clientId: VISITOR, by: ADMIN, text: 'x', mentions: [], nonce: 'note-xxxx', at: T0 }
      await storage.inbox.addNote(note)
      expect(await edit('x', { nonce: 'note-xxxx' })).toEqual({ outcome: 'nonce-taken' })
      expect((await storage.inbox.activity(VISITOR, { limit: 10 })).n).toBe(4)
    })

    it('leaves a repeated message recognizable, and answers it with the newest words', async () => {
      await talk()
      await edit('an answer')
      const again = { senderId: ADMIN, nonce: 'answer-xxxx' }
      expect(await append('an anser', again)).toMatchObject({
        outcome: 'repeated',
        message: { message: 'an answer', edit: 1 },
      })
      expect(await append('an answer', again)).toEqual({ outcome: 'nonce-taken' })
    })

    it('is made once when several are made at once, and each other one follows it', async () => {
      await talk()
      const nonces = ['a', 'a', 'b', 'b', 'c'].map((letter) => `edit-at-once-${letter}`)
      const outcomes = await Promise.all(nonces.map((nonce) => edit(`by ${nonce}`, { nonce })))
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual([
        ...['stored', 'stored', 'stored', 'unchanged', 'unchanged'],
      ])
      const { activity } = await storage.inbox.activity(VISITOR, { after: 1, limit: 10 })
      expect(activity.map(({ data }) => (data as { edit: number }).edit)).toEqual([1, 2, 3])
      const words = activity.map(({ data }) => (data as { text: string }).text)
      // Each entry has the words that the correction before it gave.
      expect(new Set([...words, (await texts())?.[1]])).toEqual(
        new Set(['an anser', ...nonces.map((nonce) => `by ${nonce}`)]),
      )
    })

    it('and a message at once are in either order', async () => {
      await append('a question')
      for (let turn = 1; turn <= 5; turn += 1) {
        const sent = await append('an anser', { senderId: ADMIN, at: T0 + 1 })
        const seq = 'message' in sent ? sent.message.seq : 0
        const [edited] = await Promise.all([edit('an answer', { seq }), append('well?', { at: T0 + 2 })])
        const words = edited.outcome === 'stored' ? 'an answer' : 'an anser'
        expect(['stored', 'answered']).toContain(edited.outcome)
        expect((await texts({ after: seq - 1 }))?.slice(0, 2)).toEqual([words, 'well?'])
      }
    })

    it('goes with the history, and the next one counts from 1', async () => {
      await talk()
      await edit('secret words')
      await storage.conversations.erase(VISITOR)
      expect(await page({ after: 0, edits: 0 })).toMatchObject({ messages: [], corrected: [], edits: 0 })
      await talk()
      expect(await texts()).toEqual(['a question', 'an anser'])
      expect(await edit('an answer')).toMatchObject({ message: { edit: 1 } })
    })

    it('shows nothing to a visitor with another key', async () => {
      await append('a question', { keyHash: 'key-1' })
      await append('an anser', { senderId: ADMIN })
      await edit('an answer')
      expect((await page({ edits: 0, keyHash: 'key-1' }))?.corrected).toHaveLength(1)
      expect((await page({ edits: 0, keyHash: 'key-2' }))?.corrected ?? []).toEqual([])
    })

    it('of a long message is cut in the list', async () => {
      await talk()
      const long = '😀'.repeat(SUMMARY_TEXT_MAX + 5)
      expect(await edit(long)).toMatchObject({ message: { message: long } })
      const record = await storage.conversations.record(VISITOR)
      expect(record?.lastMessage).toMatchObject({ message: `${'😀'.repeat(SUMMARY_TEXT_MAX)}…`, cut: true })
    })
  })
}
