import type { AnyBulkWriteOperation, Collection, Document, OptionalUnlessRequiredId } from 'mongodb'
import {
  CHAT_TABLES,
  type CopiedRows,
  type Entry,
  FIELDS,
  type FileTable,
  SIMPLE_TABLES,
  type SimpleTable,
  type Table,
} from '../copy/copied-tables.ts'
import { heldFiles, removeFiles, withUploads } from '../copy/file-copy.ts'
import {
  type CopiedChat,
  type CopySource,
  type CopyTarget,
  type Counts,
  type FileStores,
  firstEntries,
  halfFilled,
  storeId,
  UNKNOWN_SOURCE,
} from '../copy/store-copy.ts'
import { type AuditRepository, copiedEntry } from '../model/audit.ts'
import type { BlogRecord } from '../model/blogs.ts'
import type { CopiedActivity } from '../model/conversation/rows.ts'
import { type PlainTableName, plainTable } from '../model/plain-tables.ts'
import { nameKey, type UserRecord } from '../model/users.ts'
import { concernFields } from './activity-log.ts'
import {
  type ActivityDoc,
  type Collections,
  type ConversationDoc,
  collectionsOf,
  forList,
  keyFields,
  labelFields,
  type SeenMarkDoc,
} from './collections.ts'
import { connectMongo, type MongoConnection } from './connection.ts'
import { uploadsOf } from './content.ts'
import { copiedChats, picked } from './copied-chats.ts'
import { ATTACHMENT_BUCKET, openFileStore } from './file-store.ts'
import { asAppError, inHalves, isOnlyOfDuplicates } from './outage.ts'
import { clearReports } from './reports.ts'
import { plainDocument, plainRow } from './rows.ts'
import { expectSchema, prepareSchema, SCHEMA_VERSION } from './schema.ts'
import { clearSearch } from './search.ts'
import { seenMarkId } from './seen-marks.ts'

const FILLING = { _id: 'filling' } as const
/** A copy may wait longer for an answer than a server, where people wait. */
const COPYING = { answerTimeoutMs: 60_000 }
/** The limit for one call of a copy. It is long, because removing a store takes many commands. */
const CALL_WITHIN_MS = 60 * 60 * 1_000

/**
 * Reads a store while servers use it, without a snapshot of the whole store. Each conversation is consistent. Its marks
 * are read before its messages, and the messages are read in the order of their seq. No message is ever inserted before
 * another one, so there is no gap. Totals come from the newest message, so that a projection that is behind is correct
 * in the copy. A conversation that begins during the copy may be missing from it. If a conversation is erased during
 * the copy, the copy may have its first messages. On a replica set, only majority-committed data is read.
 * @throws AppError `unavailable` when no server answers; Error when there is no store, or when it has another schema
 * version
 */
export async function readMongo(url: string): Promise<CopySource> {
  const connection = await connectMongo(url, COPYING)
  try {
    const { meta } = collectionsOf(connection.db)
    const found = await expectSchema(meta)
    if (found !== SCHEMA_VERSION) {
      throw new Error(
        `The store at MONGODB_URL has schema version ${found}; this release uses ${SCHEMA_VERSION}. ` +
          (found > SCHEMA_VERSION ? 'Use a newer release.' : 'Start the server once to upgrade it.'),
      )
    }
    if ((await meta.findOne(FILLING))?.state === 'filling') throw halfFilled()
    return source(connection, filesOf(connection))
  } catch (error) {
    await connection.close()
    throw asAppError(error)
  }
}

/** Opens a store in order to fill it, and creates missing indexes. */
export async function fillMongo(url: string): Promise<CopyTarget> {
  const connection = await connectMongo(url, COPYING)
  const collections = collectionsOf(connection.db)
  const { messages, activity, conversations, seenMarks, meta } = collections
  try {
    // The mark is stored before the store exists, so that no server starts on the store if this process is killed.
    if ((await meta.findOne({ _id: 'schema' })) === null)
      await meta.replaceOne(
        FILLING,
        { ...FILLING, state: 'filling', source: UNKNOWN_SOURCE, salt: '' },
        { upsert: true },
      )
    await prepareSchema(connection.db)
  } catch (error) {
    await connection.close()
    throw asAppError(error)
  }
  const files = filesOf(connection)
  return {
    ...source(connection, files),
    ...connection.guard<Omit<CopyTarget, keyof CopySource | 'files'>>(
      {
        async holds() {
          const found: Table[] = []
          for (const table of [...SIMPLE_TABLES, ...CHAT_TABLES]) {
            const { collection, filter } = where(collections, table)
            if ((await collection.findOne(filter, { projection: { _id: 1 } })) !== null) found.push(table)
          }
          return [...found, ...(await heldFiles(files))]
        },

        async filling() {
          const { state, source = UNKNOWN_SOURCE, salt = '' } = (await meta.findOne(FILLING)) ?? {}
          return state === undefined || source === UNKNOWN_SOURCE ? null : { state, source, salt }
        },

        async setFilling(filling) {
          await meta.replaceOne(FILLING, { ...FILLING, ...filling }, { upsert: true })
        },

        async clear(table) {
          const { collection, filter } = where(collections, table)
          await collection.deleteMany(filter)
        },

        async empty() {
          await removeFiles(files)
          for (const table of [...SIMPLE_TABLES, ...CHAT_TABLES]) {
            const { collection, filter } = where(collections, table)
            await collection.deleteMany(filter)
          }
          await seenMarks.deleteMany({})
          await clearSearch(collections)
          await clearReports(collections)
          await meta.deleteOne(FILLING)
        },

        async insert(table, rows) {
          const { collection } = where(collections, table)
          await inHalves(
            rows.map((row) => copiedDocument(table, row)),
            (half) => collection.insertMany([...half]),
          )
        },

        async chatsSoFar(clientIds) {
          const found = await conversations
            .find({ _id: { $in: clientIds } }, { projection: { epoch: 1, seq: 1 } })
            .toArray()
          return new Map(found.map(({ _id, epoch, seq }) => [_id, { epoch, seq }]))
        },

        async forget(clientIds) {
          await conversations.deleteMany({ _id: { $in: clientIds } })
          await messages.deleteMany({ clientId: { $in: clientIds } })
          await activity.deleteMany({ clientId: { $in: clientIds } })
          await seenMarks.deleteMany({ clientId: { $in: clientIds } })
        },

        async put(added, chats, entries) {
          if (added.length > 0) {
            await inHalves(added, (half) => insertMissing(messages, half))
            // A message that an earlier run copied may have been corrected since.
            for (const { _id, edited } of added) {
              if (edited !== null) await messages.updateOne({ _id }, { $set: { edited } })
            }
          }
          for (const { clientId, n } of firstEntries(entries)) {
            await activity.deleteMany({ clientId, n: { $gte: n } })
          }
          if (entries.length > 0) {
            await inHalves(entries.map(activityDoc), (half) => insertMissing(activity, half))
          }
          if (chats.length > 0) {
            await inHalves(chats.map(putConversation), (half) =>
              conversations.bulkWrite([...half], { ordered: false }),
            )
            const clientIds = chats.map(({ conversation }) => conversation.clientId)
            await seenMarks.deleteMany({ clientId: { $in: clientIds } })
            const seen = chats.flatMap(seenMarkDocs)
            if (seen.length > 0) await inHalves(seen, (half) => insertMissing(seenMarks, half))
          }
        },
      },
      CALL_WITHIN_MS,
    ),
    files,
  }
}

/** Removes a finished copy's mark before a server uses the store. Throws when the copy is unfinished. */
export async function takeOver(
  meta: Collections['meta'],
  audit: Pick<AuditRepository, 'append' | 'list'>,
): Promise<void> {
  if ((await meta.findOne(FILLING)) === null) return
  const { deletedCount } = await meta.deleteOne({ ...FILLING, state: 'filled' })
  if (deletedCount > 0) {
    const [head = null] = await audit.list({ limit: 1 })
    await audit.append(copiedEntry(head))
  }
  if ((await meta.findOne(FILLING)) !== null) throw halfFilled()
}

function filesOf(connection: MongoConnection): FileStores {
  return {
    uploads: openFileStore(connection),
    attachmentFiles: openFileStore(connection, undefined, ATTACHMENT_BUCKET),
  }
}

function source(connection: MongoConnection, files: FileStores): CopySource {
  const { majority } = connection
  const collections = collectionsOf(connection.db)
  const { users } = collections

  async function* rows(): AsyncIterable<Entry> {
    try {
      for (const table of SIMPLE_TABLES) {
        if (table === 'attachments') continue
        const { collection, filter } = where(collections, table)
        for await (const document of collection.find(filter, majority).sort({ _id: 1 })) {
          yield { table, row: rowOf(table, document) } as Entry
        }
      }
      yield* copiedChats(collections, majority, files.attachmentFiles)
    } catch (error) {
      throw asAppError(error)
    }
  }

  const count = {
    async id() {
      const [first] = await users.find({}, majority).sort({ _id: 1 }).limit(1).toArray()
      return storeId(first)
    },
    async counts() {
      const counts = { uploads: (await files.uploads.list()).length } as Counts
      for (const table of [...SIMPLE_TABLES, ...CHAT_TABLES]) {
        counts[table] = await where(collections, table).collection.estimatedDocumentCount()
      }
      counts.attachmentFiles = counts.attachments
      return counts
    },
  }
  return {
    ...connection.guard(count),
    entries: () => withUploads(files.uploads, rows),
    close: connection.close,
  }
}

/** Returns where a table's rows are. Milestones share a collection with documents that have no time. */
function where(
  collections: Collections,
  table: Exclude<Table, FileTable>,
): { collection: Collection<Document & { _id: string }>; filter: Document } {
  const name = table === 'milestones' ? 'meta' : table
  return {
    collection: collections[name] as unknown as Collection<Document & { _id: string }>,
    filter: table === 'milestones' ? { at: { $gte: 0 } } : {},
  }
}

function rowOf(table: SimpleTable, document: Document & { _id: string }): CopiedRows[SimpleTable] {
  const plain = plainTable(table)
  if (plain !== null) return plainRow(plain, document, FIELDS[table]) as unknown as CopiedRows[SimpleTable]
  return picked(table, table === 'milestones' ? { ...document, name: document._id } : document)
}

/** Returns the fields that a document has in addition to its copied row. */
function besides(table: SimpleTable, row: object): object {
  if (table === 'users') return { nameKey: nameKey((row as UserRecord).userName) }
  return table === 'blogs' ? uploadsOf(row as BlogRecord) : {}
}

function copiedDocument(table: SimpleTable, row: object): Document & { _id: string } {
  const plain = plainTable(table)
  if (plain !== null) return { ...plainDocument(plain, { ...row }), ...besides(table, row) }
  return documentOf[table as keyof typeof documentOf](row as never)
}

const documentOf: {
  [T in Exclude<SimpleTable, PlainTableName>]: (row: CopiedRows[T]) => Document & { _id: string }
} = {
  reviews: (row) => ({ ...row, id: row._id }),
  attachments: (row) => row,
  milestones: ({ name, at }) => ({ _id: name, at }),
}

export function activityDoc({ nonce, ...entry }: CopiedActivity): ActivityDoc {
  const added = { ...entry, ...concernFields(entry) }
  return nonce === null ? added : { ...added, nonce }
}

function seenMarkDocs({ conversation: { clientId, epoch, seen } }: CopiedChat): SeenMarkDoc[] {
  return seen.map(({ userId, ...mark }) => ({
    ...{ _id: seenMarkId(userId, clientId), userId, clientId, epoch },
    ...mark,
  }))
}

function putConversation(chat: CopiedChat): AnyBulkWriteOperation<ConversationDoc> {
  // The replacement contains the ID, because not every server takes it from the filter.
  const replacement = conversationDoc(chat)
  return { replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true } }
}

export function conversationDoc({ conversation, lastMessage, activityN }: CopiedChat): ConversationDoc {
  const { keyHashes, visitor, seen: _, ...fields } = conversation
  const { clientId: _id, visitorCount, adminReadCount } = fields
  return {
    _id,
    ...fields,
    ...labelFields(fields.labels),
    activityN,
    ...(fields.scheduled?.[0] && { scheduledAt: fields.scheduled[0].sendAt }),
    lastMessage: lastMessage === null ? null : forList(lastMessage),
    adminUnread: visitorCount - adminReadCount,
    ...keyFields(keyHashes),
    ...(visitor === null ? {} : { visitor }),
  }
}

export async function insertMissing<Doc extends Document>(
  collection: Collection<Doc>,
  documents: readonly Doc[],
): Promise<void> {
  await collection
    .insertMany([...documents] as OptionalUnlessRequiredId<Doc>[], { ordered: false })
    .catch((error) => {
      if (!isOnlyOfDuplicates(error)) throw error
    })
}
