import { buffer } from 'node:stream/consumers'
import { UNSENT_ATTACHMENT_MS } from '@proctorpass/shared/limits'
import type { Attachment } from '@proctorpass/shared/schemas/attachment'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hasIndex, watchQueries } from '../../../test/mongo-queries.ts'
import {
  connectRaw,
  describeOnEachMongo,
  NO_COMMANDS,
  openStores,
  type RawMongo,
} from '../../../test/mongo-stores.ts'
import type { NewAttachment } from '../model/conversation/attachments.ts'
import type { NewMessage } from '../model/conversation/messages.ts'
import { newId } from '../model/ids.ts'
import type { Stores } from '../model/storage.ts'
import { openAttachments, openMessageAttachments } from './attachments.ts'
import { type Collections, collectionsOf } from './collections.ts'
import { openConversations } from './conversations.ts'
import { INDEXES } from './schema.ts'

const VISITOR = 'Visitor0000000000001'
const NOW = Date.now()
const BOUNDS = { files: 50, bytes: 1_000, unsentBytes: null }

const queries = watchQueries()

describeOnEachMongo('files of messages on MongoDB', (freshUrl, isMemory) => {
  /** The same store, opened twice as by two processes. */
  let here: Stores
  let there: Stores
  let raw: RawMongo
  let collections: Collections
  beforeEach(async () => {
    const url = freshUrl()
    here = await openStores(url)
    there = await openStores(url)
    raw = await connectRaw(url)
    collections = collectionsOf(raw.db())
  })
  afterEach(async () => {
    await Promise.all([here.storage.close(), there.storage.close()])
    await raw.close()
  })

  let count = 0
  function file(fields: Partial<NewAttachment> = {}): NewAttachment {
    count += 1
    return {
      ...{
        _id: newId(),
        clientId: VISITOR,
        senderId: VISITOR,
        nonce: `upload-nonce-${count}`,
        sentHash: 's',
      },
      ...{ keyHash: null, name: 'a.pdf', type: 'application/pdf', bytes: 10, width: null, height: null },
      ...{ createdAt: NOW, ...fields },
    }
  }
  async function stored({ storage }: Stores, fields?: Partial<NewAttachment>): Promise<string> {
    const added = await storage.attachments.add(file(fields), BOUNDS)
    if (added.outcome !== 'stored') throw new Error(added.outcome)
    return added.attachment._id
  }
  function message(attachments: string[], nonce: string): NewMessage {
    return { clientId: VISITOR, senderId: VISITOR, message: '', nonce, attachments, at: NOW }
  }
  /** The collections, with `meanwhile` before the first `method` on those of files. */
  function interrupted(method: 'insertOne' | 'updateOne', meanwhile: () => Promise<unknown>): Collections {
    let isFirst = true
    const attachments = new Proxy(collections.attachments, {
      get(target, key) {
        const found = Reflect.get(target, key)
        if (typeof found !== 'function') return found
        if (key !== method) return found.bind(target)
        return async (...args: unknown[]) => {
          const mustWait = isFirst
          isFirst = false
          if (mustWait) await meanwhile()
          return found.apply(target, args)
        }
      },
    })
    return { ...collections, attachments }
  }
  const unsent = ({ storage }: Stores, before = NOW + 1) =>
    storage.attachments.listUnsent({ before, limit: 10 })

  it('are as many as the bounds allow when two nodes reach them together', async () => {
    const bounds = { files: 5, bytes: 1_000, unsentBytes: null }
    const outcomes = await Promise.all(
      [here, there, here, there, here, there, here, there].map(({ storage }) =>
        storage.attachments.add(file(), bounds),
      ),
    )
    const rows = await collections.attachments.find({ clientId: VISITOR }).toArray()
    expect(rows.length).toBe(outcomes.filter(({ outcome }) => outcome === 'stored').length)
    expect(rows.length).toBeLessThanOrEqual(5)
    while ((await there.storage.attachments.add(file(), bounds)).outcome === 'stored');
    expect(await collections.attachments.find({ clientId: VISITOR }).toArray()).toHaveLength(5)
  })

  it('are taken back when another node reaches the bounds between the count and the insert', async () => {
    const bounds = { files: 1, bytes: 1_000, unsentBytes: null }
    const between = interrupted('insertOne', () => there.storage.attachments.add(file(), bounds))
    const slow = openAttachments(between, {})
    expect(await slow.add(file(), bounds)).toEqual({ outcome: 'full' })
    expect(await collections.attachments.find({ clientId: VISITOR }).toArray()).toHaveLength(1)
  })

  it('are taken back when another node fills the room for unsent files meanwhile', async () => {
    const bounds = { ...BOUNDS, unsentBytes: 15 }
    const other = { clientId: 'o'.repeat(20), senderId: 'o'.repeat(20), bytes: 10 }
    const between = interrupted('insertOne', () => there.storage.attachments.add(file(other), bounds))
    expect(await openAttachments(between, {}).add(file({ bytes: 10 }), bounds)).toEqual({
      outcome: 'no-room',
    })
    expect(await collections.attachments.find().toArray()).toMatchObject([other])
  })

  it('are not claimed when another node claims them between the read and the write', async () => {
    const id = await stored(here)
    const other = openMessageAttachments(collections)
    const between = interrupted('updateOne', () => other.claim(message([id], 'nonce-of-other')))
    expect(await openMessageAttachments(between).claim(message([id], 'nonce-of-slow'))).toBeUndefined()
    expect(await collections.attachments.findOne({ _id: id })).toMatchObject({
      messageNonce: 'nonce-of-other',
    })
  })

  it('are sent although another attempt at their message released them', async () => {
    const id = await stored(here)
    const first = openMessageAttachments(collections)
    const between = interrupted('updateOne', () => first.claim(message([id], 'nonce-of-both')))
    expect(await openMessageAttachments(between).claim(message([id], 'nonce-of-both'))).toBeUndefined()
    await first.sent([{ _id: id } as Attachment], 'nonce-of-both')
    const found = await collections.attachments.findOne({ _id: id })
    expect([found?.messageNonce, found?.unsentAt]).toEqual(['nonce-of-both', undefined])
  })

  it('are stored once when two nodes store a nonce together', async () => {
    const nonce = 'the-same-nonce'
    const added = await Promise.all(
      [here, there, here].map(({ storage }) => storage.attachments.add(file({ nonce }), BOUNDS)),
    )
    expect(added.map(({ outcome }) => outcome).sort()).toEqual(['repeated', 'repeated', 'stored'])
    expect(new Set(added.map((each) => 'attachment' in each && each.attachment._id)).size).toBe(1)
  })

  it('are sent once when two nodes send them together', async () => {
    const [a, b] = [await stored(here), await stored(there)]
    const sent = await Promise.all([
      here.storage.messages.append(message([a, b], 'nonce-of-one')),
      there.storage.messages.append(message([b, a], 'nonce-of-two')),
    ])
    const outcomes = sent.map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'stored').length).toBeLessThanOrEqual(1)
    const page = await here.storage.messages.page(VISITOR, { limit: 10 })
    const shown = page?.messages.flatMap(({ attachments = [] }) => attachments.map(({ _id }) => _id)) ?? []
    expect(new Set(shown).size).toBe(shown.length)
    // What no message has can be sent.
    if (shown.length === 0) {
      const again = await here.storage.messages.append(message([a, b], 'nonce-of-one'))
      expect(again.outcome).toBe('stored')
    }
  })

  it('are unsent when the process died between claim and message, and sent by the retry', async () => {
    const id = await stored(here)
    expect(await openMessageAttachments(collections).claim(message([id], 'nonce-of-it'))).toHaveLength(1)
    expect(await unsent(there)).toEqual([id])
    expect(await there.storage.messages.append(message([id], 'another-nonce'))).toEqual({
      outcome: 'file-used',
    })
    const retried = await there.storage.messages.append(message([id], 'nonce-of-it'))
    expect(retried).toMatchObject({ outcome: 'stored', message: { attachments: [{ _id: id }] } })
    expect(await unsent(here)).toEqual([])
  })

  it('are swept when the process died between claim and message, without a retry', async () => {
    const id = await stored(here, { createdAt: NOW - UNSENT_ATTACHMENT_MS + 1 })
    await openMessageAttachments(collections).claim(message([id], 'nonce-of-it'))
    for (const found of await unsent(there)) await there.storage.attachments.remove(found)
    expect(await here.storage.attachments.find(VISITOR, id)).toBeNull()
  })

  it('are sent when the process died behind the message', async () => {
    const id = await stored(here)
    await here.storage.messages.append(message([id], 'nonce-of-it'))
    await collections.attachments.updateOne({ _id: id }, { $set: { unsentAt: NOW } })
    expect(await unsent(there)).toEqual([])
    expect((await collections.attachments.findOne({ _id: id }))?.unsentAt).toBeUndefined()
    await there.storage.attachments.remove(id)
    expect(await here.storage.attachments.find(VISITOR, id)).toMatchObject({ messageNonce: 'nonce-of-it' })
  })

  it('are erased by the sweep when the process died behind the new epoch', async () => {
    const waiting = await stored(there, { createdAt: NOW + 60_000 })
    const id = await stored(here)
    await here.storage.messages.append(message([id], 'nonce-of-it'))
    const { epoch } = (await collections.conversations.findOne({ _id: VISITOR })) ?? {}
    const erased = {
      epoch: 'a-new-epoch',
      erasedEpochs: [epoch ?? ''],
      erasedFiles: [waiting],
      erasedAt: NOW,
    }
    await collections.conversations.updateOne({ _id: VISITOR }, { $set: { ...erased, seq: 0 } })
    // Of the next history, by a node whose clock is slow.
    const later = await stored(there, { createdAt: NOW - 60_000 })
    await openConversations(collections, {}).sweep()
    expect((await unsent(there, 1)).sort()).toEqual([id, waiting].sort())
    expect(await here.storage.attachments.find(VISITOR, later)).toMatchObject({ createdAt: NOW - 60_000 })
  })

  it('are erased by a node whose clock is slower than that of the upload', async () => {
    const [sent, waiting] = [
      await stored(here, { createdAt: NOW + 60_000 }),
      await stored(here, { createdAt: NOW + 60_000 }),
    ]
    await here.storage.messages.append(message([sent], 'nonce-of-it'))
    await there.storage.conversations.erase(VISITOR)
    expect((await unsent(here, 1)).sort()).toEqual([sent, waiting].sort())
  })

  it('stay unsent when their message came into an erased history', async () => {
    const id = await stored(here)
    await here.storage.messages.append(message([], 'a-first-nonce'))
    const { epoch } = (await collections.conversations.findOne({ _id: VISITOR })) ?? {}
    await there.storage.conversations.erase(VISITOR)
    const later = await stored(there)
    // This process still follows the message that was erased.
    const late = { ...message([later], 'a-late-nonce'), ...(epoch && { epoch }) }
    expect(await here.storage.messages.append(late)).toEqual({ outcome: 'stale-epoch' })
    expect((await unsent(here)).sort()).toEqual([id, later].sort())
    expect(await collections.messages.countDocuments()).toBe(0)
  })

  it('have bytes apart from those of posts', async () => {
    const id = await stored(here)
    expect(await here.attachmentFiles.put(id, Buffer.from('some bytes'))).toBe(true)
    const found = await there.attachmentFiles.open(id)
    expect(found && (await buffer(found.stream)).toString()).toBe('some bytes')
    expect([await here.uploadFiles.list(), await here.uploadFiles.open(id)]).toEqual([[], null])
    await expect(here.uploadFiles.put(id, Buffer.from('x'))).rejects.toThrow('name of an upload')
    await there.attachmentFiles.remove(id)
    expect(await here.attachmentFiles.open(id)).toBeNull()
  })

  it('are found by declared indexes', ({ skip }) => {
    skip(isMemory, NO_COMMANDS)
    const indexesOf: Record<string, (typeof INDEXES)[keyof typeof INDEXES]> = {
      ...INDEXES,
      meta: [],
      'attachments.files': INDEXES.attachmentGridFiles,
      'attachments.chunks': INDEXES.attachmentGridChunks,
    }
    const ofFiles = queries.filter(({ collection }) => collection.startsWith('attachment'))
    expect(ofFiles.length).toBeGreaterThan(10)
    for (const query of ofFiles) {
      const { sent, ...shown } = query
      // The driver checks for any file before it creates its indexes.
      if (sent.limit === 1 && Object.keys(shown.filter).length === 0) continue
      expect(hasIndex(query, indexesOf[query.collection] ?? []), JSON.stringify(shown)).toBe(true)
    }
  })
})
