import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '@proctorpass/shared/errors'
import { GridFSBucket, ObjectId } from 'mongodb'
import {
  ATTACHMENT_NAME,
  expectName,
  type FileStore,
  roomOf,
  type StoredFile,
  storageFull,
  UPLOAD_NAME,
} from '../model/file-store.ts'
import { newId } from '../model/ids.ts'
import { ATTACHMENTS, type Collections, collectionsOf, type StoredFileDoc, UPLOADS } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { asAppError, isDuplicate } from './outage.ts'

/** A file that stays incomplete for this long was left by a process that died, even if clocks differ. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1_000
/** The chunks that one read fetches. A GridFS chunk has 255 KB. */
const CHUNKS_AT_ONCE = 4

/** The place of a file store's files, and the form of their names. */
interface Bucket {
  name: string
  form: RegExp
  /** Whether a name that was removed is never put again. The name of an upload is the hash of its bytes. */
  isNamedOnce: boolean
  collectionsIn(collections: Collections): Pick<Collections, 'uploads' | 'gridFiles' | 'gridChunks'>
}
const UPLOAD_BUCKET: Bucket = {
  name: UPLOADS,
  form: UPLOAD_NAME,
  isNamedOnce: false,
  collectionsIn: (collections) => collections,
}
export const ATTACHMENT_BUCKET: Bucket = {
  name: ATTACHMENTS,
  form: ATTACHMENT_NAME,
  isNamedOnce: true,
  collectionsIn: ({ attachmentFiles, attachmentGridFiles, attachmentGridChunks }) => ({
    uploads: attachmentFiles,
    gridFiles: attachmentGridFiles,
    gridChunks: attachmentGridChunks,
  }),
}

/**
 * Stores files in GridFS. A document is inserted before the file's first byte. An update gives it the file's name after
 * the last byte, under a unique index. So only one of several concurrent writers stores a name, no reader sees half a
 * file, and files left by a process that died are known and removed later.
 */
export function openFileStore(
  { db, majority, guard }: MongoConnection,
  totalBytesMax = Number.POSITIVE_INFINITY,
  { name: bucketName, form, isNamedOnce, collectionsIn }: Bucket = UPLOAD_BUCKET,
): FileStore {
  const { uploads, gridFiles, gridChunks } = collectionsIn(collectionsOf(db))
  const bucket = new GridFSBucket(db, { bucketName })

  /** Returns whether the name is stored. The check is a write, so that its result is as durable as the file itself. */
  async function storedAgain(name: string): Promise<boolean> {
    const { matchedCount } = await uploads.updateOne(
      { name, state: 'whole' },
      { $max: { storedAt: Date.now() }, $set: { revision: newId() } },
    )
    return matchedCount === 1
  }

  async function discardBytes(id: string): Promise<void> {
    const gridId = ObjectId.createFromHexString(id)
    await gridFiles.deleteOne({ _id: gridId })
    await gridChunks.deleteMany({ files_id: gridId })
  }

  /** Removes the bytes of a file without a name, and then its document. */
  async function discard(id: string): Promise<void> {
    await discardBytes(id)
    await uploads.deleteOne({ _id: id, state: 'half' })
  }

  /**
   * Removes the bytes that writers and removals of this name left half done. The documents stay for a day, because a
   * writer may still be at work. It can't complete the file anymore.
   */
  async function discardIncomplete(name: string): Promise<void> {
    const found = await uploads.find({ state: 'half', target: name }, { projection: { _id: 1 } }).toArray()
    for (const { _id } of found) {
      await uploads.updateOne({ _id, state: 'half' }, { $set: { isRemoved: true, size: 0 } })
      await discardBytes(_id)
    }
  }

  async function discardAbandoned(): Promise<void> {
    const abandoned = await uploads
      .find({ state: 'half', storedAt: { $lt: Date.now() - ABANDONED_AFTER_MS } }, { projection: { _id: 1 } })
      .toArray()
    // A failed removal is retried with the next file, so this file does not depend on it.
    for (const { _id } of abandoned) await discard(_id).catch(() => {})
  }

  /** Sums the sizes of all files. Unfinished ones count, so that concurrent writers respect the bound together. */
  async function totalBytes(): Promise<number> {
    const [sum] = await uploads
      .aggregate<{ total: number }>([
        { $match: { size: { $gte: 0 } } },
        { $group: { _id: null, total: { $sum: '$size' } } },
      ])
      .toArray()
    return sum?.total ?? 0
  }

  return guard<FileStore>({
    async put(name, bytes, side = 'admin') {
      expectName(name, form)
      if (await storedAgain(name)) return false
      await discardAbandoned()
      const id = newId()
      const file = { name: id, target: name, size: bytes.length, storedAt: Date.now() }
      await uploads.insertOne({ _id: id, ...file, state: 'half' })
      if ((await totalBytes()) > roomOf(side, totalBytesMax)) {
        await uploads.deleteOne({ _id: id })
        throw storageFull()
      }
      try {
        const upload = bucket.openUploadStreamWithId(ObjectId.createFromHexString(id), name)
        await pipeline(Readable.from(slices(bytes, upload.chunkSizeBytes)), upload)
      } catch (error) {
        await discard(id).catch(() => {})
        throw error
      }
      try {
        const { matchedCount } = await uploads.updateOne(
          { _id: id, state: 'half', isRemoved: { $exists: false } },
          { $set: { name, state: 'whole', storedAt: Date.now() } },
        )
        if (matchedCount === 1) return true
        // Another process removed the file, or discarded it as abandoned, because it took a day.
        await discard(id).catch(() => {})
        throw notStored()
      } catch (error) {
        if (!isDuplicate(error)) throw error
        await discard(id).catch(() => {})
        // The other writer's file may have been removed since.
        if (!(await storedAgain(name))) throw notStored()
        return false
      }
    },

    async open(name) {
      if (!form.test(name)) return null
      const found = await uploads.findOne({ name, state: 'whole' }, majority)
      if (found === null) return null
      return { file: fileOf(found), stream: Readable.from(bytesOf(found), { objectMode: false }) }
    },

    async find(name) {
      const found = form.test(name) ? await uploads.findOne({ name, state: 'whole' }, majority) : null
      return found && fileOf(found)
    },

    async remove(name, seen) {
      expectName(name, form)
      if (isNamedOnce) await discardIncomplete(name)
      const found = await uploads.findOne({ name, state: 'whole' })
      if (found === null) return true
      const { _id, revision = null } = found
      if (seen !== undefined && fileOf(found).revision !== seen.revision) return false
      // A null revision also matches a document without the field.
      const asSeen = seen === undefined ? {} : { revision }
      const { matchedCount } = await uploads.updateOne(
        { _id, state: 'whole', ...asSeen },
        { $set: { name: _id, target: name, state: 'half', isRemoved: true } },
      )
      if (matchedCount === 0) return seen === undefined || (await uploads.countDocuments({ name })) === 0
      await discard(_id)
      return true
    },

    async list() {
      const found = await uploads.find({ state: 'whole' }, majority).toArray()
      return found.filter(({ name }) => form.test(name)).map(fileOf)
    },
  })

  /** Reads on demand and a little ahead. Readers may be slow, and the driver's own stream fetches up to 16 MB at once. */
  async function* bytesOf({ _id, size }: StoredFileDoc): AsyncGenerator<Uint8Array> {
    const filter = { files_id: ObjectId.createFromHexString(_id) }
    const options = { sort: { n: 1 }, batchSize: CHUNKS_AT_ONCE, promoteBuffers: true } as const
    let missing = size
    try {
      for await (const { data } of gridChunks.find(filter, options)) {
        missing -= data.length
        yield data
      }
    } catch (error) {
      throw asAppError(error)
    }
    if (missing !== 0) throw new AppError('not-found', 'This file no longer exists.')
  }
}

/** Yields the bytes chunk by chunk. Given all bytes at once, the driver would send all chunks concurrently. */
function* slices(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

function fileOf({ _id, name, size, storedAt, revision }: StoredFileDoc): StoredFile {
  return { name, size, storedAt, isAgain: revision !== undefined, revision: revision ?? _id }
}

function notStored(): AppError {
  return new AppError('unavailable', "This file couldn't be saved. Try again.")
}
