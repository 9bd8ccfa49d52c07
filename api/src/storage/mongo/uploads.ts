import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AppError } from '@proctorpass/shared/errors'
import { GridFSBucket, ObjectId } from 'mongodb'
import { newId } from '../ids.ts'
import { expectUploadName, UPLOAD_NAME, type UploadFiles } from '../upload-files.ts'
import { asAppError, guarded, isDuplicate, type MongoConnection } from './connection.ts'
import { collectionsOf, UPLOADS, type UploadDoc } from './documents.ts'

/** What is not whole after so long is of a process that died, whatever the clocks say. */
const LEFT_AFTER_MS = 24 * 60 * 60 * 1_000
/** Of the 255 KB that a chunk has. */
const CHUNKS_AT_ONCE = 4

/**
 * Uploaded files in GridFS. A document in `uploads` says of each what it is called. It is written before the first
 * byte and takes the name after the last, in one update under a unique index: so of several that store a name at once
 * one does, nobody meets half a file, and what a process leaves that dies in between is known and removed later.
 */
export function openUploadFiles(
  { db, settled }: MongoConnection,
  totalBytesMax = Number.POSITIVE_INFINITY,
): UploadFiles {
  const { uploads, gridFiles, gridChunks } = collectionsOf(db)
  const bucket = new GridFSBucket(db, { bucketName: UPLOADS })

  /** Whether the name is there. A write: its answer is as safe as that of whoever stored the name a moment ago. */
  async function storedAgain(name: string): Promise<boolean> {
    const { matchedCount } = await uploads.updateOne(
      { name, state: 'whole' },
      { $max: { storedAt: Date.now() } },
    )
    return matchedCount === 1
  }

  /** Removes bytes that nobody can see, and what is known of them last. */
  async function discard(id: string): Promise<void> {
    const gridId = ObjectId.createFromHexString(id)
    await gridFiles.deleteOne({ _id: gridId })
    await gridChunks.deleteMany({ files_id: gridId })
    await uploads.deleteOne({ _id: id, state: 'half' })
  }

  async function discardLeft(): Promise<void> {
    const left = await uploads
      .find({ state: 'half', storedAt: { $lt: Date.now() - LEFT_AFTER_MS } }, { projection: { _id: 1 } })
      .toArray()
    // What fails is done by the next one: no picture waits for it.
    for (const { _id } of left) await discard(_id).catch(() => {})
  }

  /** Of all files, those that are being written too: several at once stay below the bound together. */
  async function totalBytes(): Promise<number> {
    const [sum] = await uploads
      .aggregate<{ total: number }>([
        { $match: { size: { $gte: 0 } } },
        { $group: { _id: null, total: { $sum: '$size' } } },
      ])
      .toArray()
    return sum?.total ?? 0
  }

  return guarded<UploadFiles>({
    async put(name, bytes) {
      expectUploadName(name)
      if (await storedAgain(name)) return false
      await discardLeft()
      const id = newId()
      await uploads.insertOne({ _id: id, name: id, size: bytes.length, storedAt: Date.now(), state: 'half' })
      if ((await totalBytes()) > totalBytesMax) {
        await uploads.deleteOne({ _id: id })
        throw noRoom()
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
          { _id: id, state: 'half' },
          { $set: { name, state: 'whole', storedAt: Date.now() } },
        )
        // Taken for what a dead process left: it was a day on its way.
        if (matchedCount === 0) throw notStored()
        return true
      } catch (error) {
        if (!isDuplicate(error)) throw error
        await discard(id).catch(() => {})
        // Whoever stored it may have removed it since.
        if (!(await storedAgain(name))) throw notStored()
        return false
      }
    },

    async open(name) {
      if (!UPLOAD_NAME.test(name)) return null
      const found = await uploads.findOne({ name, state: 'whole' }, settled)
      if (found === null) return null
      const { size, storedAt } = found
      return { file: { name, size, storedAt }, stream: Readable.from(bytesOf(found), { objectMode: false }) }
    },

    async remove(name) {
      expectUploadName(name)
      const found = await uploads.findOne({ name, state: 'whole' }, { projection: { _id: 1 } })
      if (found === null) return
      await uploads.updateOne({ _id: found._id }, { $set: { name: found._id, state: 'half' } })
      await discard(found._id)
    },

    async list() {
      const found = await uploads.find({ state: 'whole' }, settled).toArray()
      return found
        .filter(({ name }) => UPLOAD_NAME.test(name))
        .map(({ name, size, storedAt }) => ({ name, size, storedAt }))
    },
  })

  /**
   * Reads nothing before it is asked to, and then little in advance: a reader may be slow, and the driver's own
   * stream fetches up to 16 MB at once.
   */
  async function* bytesOf({ _id, size }: UploadDoc): AsyncGenerator<Uint8Array> {
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
    if (missing !== 0) throw new AppError('not-found', 'This picture is no longer here.')
  }
}

/** One write for each chunk: given all at once, the driver would send all chunks at once. */
function* slices(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

function noRoom(): AppError {
  return new AppError('unavailable', 'There is no room for this picture on the server. Nothing was saved.')
}

function notStored(): AppError {
  return new AppError('unavailable', 'This picture could not be stored. Please try again.')
}
