import { UNSENT_ATTACHMENT_MS } from '@proctorpass/shared/limits'
import { describe, expect, it } from 'vitest'
import type { AttachmentBounds, NewAttachment } from '../../src/storage/model/conversation/attachments.ts'
import { newId } from '../../src/storage/model/ids.ts'
import { ADMIN, OTHER, type StoreUnderTest, T0, VISITOR } from './store-under-test.ts'

const BOUNDS: AttachmentBounds = { files: 50, bytes: 1_000, unsentBytes: null }
const KEY = 'k'.repeat(43)

let count = 0
function file(fields: Partial<NewAttachment> = {}): NewAttachment {
  count += 1
  return {
    ...{ _id: newId(T0 + count), clientId: VISITOR, senderId: VISITOR, nonce: `upload-nonce-${count}` },
    ...{ sentHash: 's'.repeat(43), keyHash: KEY, name: '合同 😀.pdf', type: 'application/pdf', bytes: 10 },
    ...{ width: null, height: null, createdAt: T0 },
    ...fields,
  }
}

export function describeAttachments(test: StoreUnderTest): void {
  const add = (fields?: Partial<NewAttachment>, bounds: Partial<AttachmentBounds> = {}) =>
    test.storage.attachments.add(file(fields), { ...BOUNDS, ...bounds })
  async function stored(fields?: Partial<NewAttachment>) {
    const added = await add(fields)
    if (added.outcome !== 'stored') throw new Error(added.outcome)
    return added.attachment
  }
  const send = (attachments: string[], options: { nonce?: string; at?: number; text?: string } = {}) => {
    count += 1
    const { nonce = `nonce-${count}-xxxx`, at = T0 + count, text = '' } = options
    const message = { clientId: VISITOR, senderId: VISITOR, message: text, nonce, keyHash: KEY, at }
    return test.storage.messages.append({ ...message, attachments })
  }
  const unsent = (before = T0 + 1, clientId?: string) =>
    test.storage.attachments.listUnsent({
      before,
      limit: 100,
      ...(clientId === undefined ? {} : { clientId }),
    })

  describe('attachments', () => {
    it('are stored, found by id and nonce, and the same after a restart', async () => {
      const image = await stored({ width: 30, height: 20, type: 'image/png', keyHash: null })
      const { clientId, senderId, nonce, _id } = image
      expect(image).toMatchObject({ width: 30, keyHash: null, messageNonce: null })
      await test.reopen()
      const { attachments } = test.storage
      expect(await attachments.find(clientId, _id)).toEqual(image)
      expect(await attachments.findByNonce({ clientId, senderId, nonce })).toEqual(image)
      expect(await attachments.find(OTHER, _id)).toBeNull()
      expect(await attachments.findByNonce({ clientId, senderId: ADMIN, nonce })).toBeNull()
    })

    it('are stored once for a nonce of a sender', async () => {
      const first = await stored()
      const { nonce } = first
      expect(await add({ nonce })).toEqual({ outcome: 'repeated', attachment: first })
      expect(await add({ nonce, sentHash: 'o'.repeat(43) })).toEqual({ outcome: 'nonce-taken' })
      expect(await add({ nonce, keyHash: null })).toEqual({ outcome: 'nonce-taken' })
      expect(await add({ nonce, senderId: ADMIN })).toMatchObject({ outcome: 'stored' })
      expect(await add({ nonce, clientId: OTHER, senderId: OTHER })).toMatchObject({ outcome: 'stored' })
    })

    it('never exceed the bounds of their conversation, also at the same time', async () => {
      const outcomes = await Promise.all(Array.from({ length: 8 }, () => add({}, { files: 5, bytes: 1_000 })))
      expect(outcomes.filter(({ outcome }) => outcome === 'stored').length).toBe(5)
      expect(outcomes.filter(({ outcome }) => outcome === 'full').length).toBe(3)
      expect(await add({}, { files: 9, bytes: 59 })).toEqual({ outcome: 'full' })
      expect(await add({}, { files: 9, bytes: 60 })).toMatchObject({ outcome: 'stored' })
      expect(await add({ clientId: OTHER, senderId: OTHER }, { files: 1, bytes: 10 })).toMatchObject({
        outcome: 'stored',
      })
    })

    it('that are unsent never exceed the room for them, in all conversations together', async () => {
      const bounds = { unsentBytes: 35 }
      const sent = await stored()
      await stored({ clientId: OTHER, senderId: OTHER })
      const waiting = await stored()
      expect(await add({}, bounds)).toEqual({ outcome: 'no-room' })
      expect(await add({ nonce: waiting.nonce }, bounds)).toMatchObject({ outcome: 'repeated' })
      expect(await add({ senderId: ADMIN, bytes: 1 }, { unsentBytes: null })).toMatchObject({
        outcome: 'stored',
      })
      await send([sent._id])
      expect(await add({}, bounds)).toMatchObject({ outcome: 'stored' })
      expect(await add({}, bounds)).toEqual({ outcome: 'no-room' })
      // Expired files are about to be removed.
      await test.storage.conversations.erase(VISITOR)
      expect(await add({}, bounds)).toMatchObject({ outcome: 'stored' })
    })

    it('count as gone once they expired, unless they were sent', async () => {
      const [sent, waiting] = [await stored(), await stored()]
      await send([sent._id])
      for (const { _id } of [sent, waiting]) await test.storage.attachments.expire(_id)
      expect(await unsent(1)).toEqual([waiting._id])
      expect(await send([waiting._id])).toEqual({ outcome: 'unknown-file' })
      expect(await test.storage.attachments.find(VISITOR, sent._id)).toMatchObject({
        createdAt: sent.createdAt,
      })
    })

    it('are sent with one message, and shown by it', async () => {
      const [first, image] = [await stored(), await stored({ type: 'image/webp', width: 3, height: 4 })]
      const sent = await send([image._id, first._id])
      const shown = [
        { _id: image._id, name: image.name, type: 'image/webp', bytes: 10, width: 3, height: 4 },
        { _id: first._id, name: first.name, type: 'application/pdf', bytes: 10 },
      ]
      expect(sent).toMatchObject({ outcome: 'stored', message: { message: '', attachments: shown } })
      await test.reopen()
      const page = await test.storage.messages.page(VISITOR, { limit: 10 })
      expect(page?.messages).toMatchObject([{ attachments: shown }])
      const list = await test.storage.conversations.list({ limit: 10 })
      expect(list.conversations[0]?.lastMessage).toEqual(page?.messages[0])
      expect(await unsent()).toEqual([])
      expect((await test.storage.attachments.find(VISITOR, first._id))?.messageNonce).toEqual(
        expect.any(String),
      )
      await send([], { text: 'plain' })
      const [plain] = (await test.storage.messages.page(VISITOR, { limit: 1 }))?.messages ?? []
      expect(Object.keys(plain ?? {})).not.toContain('attachments')
    })

    it('are refused where the sender has none of that id, or another message has it', async () => {
      const { _id } = await stored()
      for (const other of [
        '0'.repeat(24),
        (await stored({ senderId: ADMIN }))._id,
        (await stored({ keyHash: null }))._id,
        (await stored({ clientId: OTHER, senderId: OTHER }))._id,
        (await stored({ createdAt: T0 - UNSENT_ATTACHMENT_MS }))._id,
      ]) {
        expect(await send([_id, other], { at: T0 })).toEqual({ outcome: 'unknown-file' })
      }
      expect(await test.storage.conversations.list({ limit: 10 })).toMatchObject({ conversations: [] })
      // The refusals have not used it.
      expect(await send([_id])).toMatchObject({ outcome: 'stored' })
      expect(await send([_id])).toEqual({ outcome: 'file-used' })
    })

    it('of a repeated message must be the same', async () => {
      const [a, b] = [(await stored())._id, (await stored())._id]
      const nonce = 'the-nonce-of-both'
      const first = await send([a], { nonce })
      expect(await send([a], { nonce })).toMatchObject({
        outcome: 'repeated',
        message: first.outcome === 'stored' ? first.message : null,
      })
      for (const other of [[], [b], [a, b], ['0'.repeat(24)]]) {
        expect(await send(other, { nonce })).toEqual({ outcome: 'nonce-taken' })
      }
      expect(await send([b])).toMatchObject({ outcome: 'stored' })
    })

    it('are sent once by messages at the same time', async () => {
      const { _id } = await stored()
      const outcomes = await Promise.all([send([_id]), send([_id]), send([_id])])
      expect(outcomes.map(({ outcome }) => outcome).sort()).toEqual(['file-used', 'file-used', 'stored'])
    })

    it('that were not sent are listed, the oldest first, and removed', async () => {
      const [sent, newer, older] = [
        await stored(),
        await stored({ createdAt: T0 + 5 }),
        await stored({ createdAt: T0 - 5, clientId: OTHER, senderId: OTHER }),
      ]
      await send([sent._id])
      expect(await unsent(T0 + 6)).toEqual([older._id, newer._id])
      expect(await unsent(T0 + 5)).toEqual([older._id])
      expect(await unsent(T0 + 6, VISITOR)).toEqual([newer._id])
      expect(await test.storage.attachments.listUnsent({ before: T0 + 6, limit: 1 })).toEqual([older._id])
      await test.storage.attachments.remove(newer._id)
      await test.storage.attachments.remove(newer._id)
      await test.storage.attachments.remove(sent._id)
      expect(await test.storage.attachments.find(VISITOR, newer._id)).toBeNull()
      expect(await test.storage.attachments.find(VISITOR, sent._id)).toEqual(
        expect.objectContaining({ _id: sent._id }),
      )
    })

    it('of an erased conversation are left as unsent and expired', async () => {
      const [sent, waiting] = [await stored(), await stored()]
      const other = await stored({ clientId: OTHER, senderId: OTHER })
      await send([sent._id])
      await test.storage.conversations.erase(VISITOR)
      expect((await unsent(1, VISITOR)).sort()).toEqual([sent._id, waiting._id].sort())
      expect(await unsent(1)).not.toContain(other._id)
      expect(await send([sent._id])).toEqual({ outcome: 'unknown-file' })
      expect(await send([waiting._id])).toEqual({ outcome: 'unknown-file' })
      // They do not count any more.
      expect(await add({}, { files: 1, bytes: 10 })).toMatchObject({ outcome: 'stored' })
    })

    it('get the time of the repair when theirs is later', async () => {
      const [late, early] = [await stored({ createdAt: T0 + 1_000 }), await stored()]
      await test.storage.repairTimes(T0 + 10)
      expect((await test.storage.attachments.find(VISITOR, late._id))?.createdAt).toBe(T0 + 10)
      expect((await test.storage.attachments.find(VISITOR, early._id))?.createdAt).toBe(T0)
      expect(await unsent(T0 + 11)).toEqual([early._id, late._id])
    })
  })
}
