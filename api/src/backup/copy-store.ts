import { createHash, type Hash, randomBytes } from 'node:crypto'
import { checked, RefusedRow } from '../storage/copy/checked-rows.ts'
import {
  type ChatTable,
  type CopiedRows,
  type Entry,
  FIELDS,
  FILE_TABLES,
  type FileTable,
  isChatTable,
  isFileEntry,
  progressTable,
  SESSION_TABLES,
  SIMPLE_TABLES,
  type SimpleTable,
  TABLES,
  type Table,
} from '../storage/copy/copied-tables.ts'
import { removeFiles } from '../storage/copy/file-copy.ts'
import {
  type CopiedChat,
  type CopySource,
  type CopyTarget,
  type Counts,
  conversationOf,
  Unanswered,
} from '../storage/copy/store-copy.ts'
import type { ChainCheck } from '../storage/model/audit.ts'
import type { CopiedActivity, CopiedMessage } from '../storage/model/conversation/rows.ts'
import { restoredMessages } from '../storage/model/conversation/scheduled-records.ts'

/** Called after each batch with the number of its table's rows that are done, in one of two passes. */
export type OnProgress = (table: Table, done: number, pass: 'copied' | 'checked') => void

/** The number of rows in a batch, which bounds round trips and memory. */
const BATCH_ROWS = 1_000
const BATCH_CHARACTERS = 1_000_000

/**
 * Copies the source into the target, then reads the target back and compares counts and hashes. No server opens the
 * target before the comparison has succeeded.
 * An interrupted copy resumes when this is called again: it skips stored messages, and writes all other rows again,
 * which are few. If this is called again after a complete copy, and before a server has opened the target, it copies
 * what has changed in the source since then.
 * @param as `restored` leaves out sessions and gives each conversation a new epoch
 * @param chain receives each audit entry; a broken log is copied as it is
 * @throws Error with a message fit to show, when the target holds other data; or when a row is refused or the copies
 * differ, after emptying the target again
 */
export async function copyStore(
  source: CopySource,
  target: CopyTarget,
  options: { as: 'it is' | 'restored'; onProgress?: OnProgress; chain?: ChainCheck },
): Promise<Counts> {
  const id = await source.id()
  const before = await target.filling()
  const resumes = before?.source === id
  if (!resumes) await expectEmpty(target, before?.state === 'filling')
  const salt = resumes ? before.salt : randomBytes(16).toString('base64url')
  await target.setFilling({ state: 'filling', source: id, salt })
  try {
    const counts = await fillAndCompare(source, target, { ...options, salt, resumes })
    await target.setFilling({ state: 'filled', source: id, salt })
    return counts
  } catch (error) {
    if (error instanceof RefusedRow || error instanceof UnequalCopy) await target.empty()
    throw error
  }
}

/**
 * Reads the whole source, to find refused rows before a target is created.
 * @throws RefusedRow
 */
export async function checkSource(source: CopySource): Promise<void> {
  for await (const _ of checked(source.entries())) {
    // The loop does nothing else: checked() throws for a refused row.
  }
}

class UnequalCopy extends Error {}

async function fillAndCompare(
  source: CopySource,
  target: CopyTarget,
  {
    as,
    onProgress,
    chain,
    salt,
    resumes,
  }: {
    as: 'it is' | 'restored'
    onProgress?: OnProgress
    chain?: ChainCheck
    salt: string
    resumes: boolean
  },
): Promise<Counts> {
  for (const table of SIMPLE_TABLES) await target.clear(table)

  const written = new Tally((table, done) => onProgress?.(table, done, 'copied'))
  const entries = checked(source.entries())
  const copied = as === 'restored' ? restored(entries, salt) : entries
  const chats = new ChatCopy(target, resumes)
  for await (const batch of inBatches(copied)) {
    await store(batch, target, chats)
    for (const entry of batch) {
      written.add(entry)
      if (entry.table === 'audit') chain?.add(entry.row)
    }
    written.report()
  }
  await removeFiles(target.files, (table, name) => written.files[table].has(name))

  const found = new Tally((table, done) => onProgress?.(table, done, 'checked'))
  for await (const batch of inBatches(target.entries())) {
    for (const entry of batch) found.add(entry)
    found.report()
  }
  const different = written.differencesTo(found)
  if (different.length > 0) {
    throw new UnequalCopy(
      `The copy differs from its source: ${different.join(', ')}. The target was emptied. Run it again.`,
    )
  }
  return found.counts
}

async function expectEmpty(target: CopyTarget, isHalfFilled: boolean): Promise<void> {
  if (isHalfFilled) {
    throw new Error(
      'An interrupted run left the target half filled from another source. Finish that run, or choose an empty target.',
    )
  }
  const held = await target.holds()
  if (held.length > 0) {
    throw new Error(
      `The target already holds data (${held.join(', ')}). Choose an empty one. A server that was started there has created at least the first admin.`,
    )
  }
}

/**
 * Leaves out sessions and subscriptions, so that all admins sign in again, and gives each conversation a new epoch, so
 * that browsers drop their timelines and sync. A conversation's counts are computed from its newest message, not taken
 * from the backup. Scheduled messages that are overdue by now are not sent.
 */
async function* restored(entries: AsyncIterable<Entry>, salt: string): AsyncIterable<Entry> {
  const epochOf = (clientId: string) =>
    createHash('sha256').update(`${salt} ${clientId}`).digest('base64url').slice(0, 16)
  let clientId = ''
  let epoch = ''
  let last: CopiedMessage | null = null
  let unanswered = new Unanswered()
  const now = Date.now()
  for await (const entry of entries) {
    if (SESSION_TABLES.includes(entry.table)) continue
    if (!isChatEntry(entry)) {
      yield entry
      continue
    }
    if (entry.row.clientId !== clientId) {
      clientId = entry.row.clientId
      epoch = epochOf(clientId)
      last = null
      unanswered = new Unanswered()
    }
    if (entry.table === 'messages') {
      last = { ...entry.row, epoch }
      unanswered.add(last)
      yield { table: 'messages', row: last }
    } else if (entry.table === 'activity') {
      yield { table: 'activity', row: { ...entry.row, epoch } }
    } else {
      const { keyHashes } = entry.row
      const scheduled = restoredMessages(entry.row.scheduled, now)
      const marks = { ...entry.row, scheduled }
      const row = conversationOf({ clientId, epoch, keyHashes }, last, unanswered, marks)
      yield { table: 'conversations', row }
    }
  }
}

async function store(batch: Entry[], target: CopyTarget, chats: ChatCopy): Promise<void> {
  const tables = new Map<SimpleTable, CopiedRows[SimpleTable][]>()
  const chatEntries: ChatEntry[] = []
  for (const entry of batch) {
    if (isFileEntry(entry)) await target.files[entry.table].put(entry.row.name, entry.row.bytes)
    else if (isChatEntry(entry)) chatEntries.push(entry)
    else
      tables
        .set(entry.table, tables.get(entry.table) ?? [])
        .get(entry.table)
        ?.push(entry.row)
  }
  for (const [table, rows] of tables) await target.insert(table, rows as never)
  if (chatEntries.length > 0) await chats.store(chatEntries)
}

type ChatEntry = Extract<Entry, { table: ChatTable }>

function isChatEntry(entry: Entry): entry is ChatEntry {
  return isChatTable(entry.table)
}

/**
 * Writes conversations so that each conversation row matches its stored messages, even after a batch that ends within a
 * conversation. A second run resumes there. In one epoch only the corrections of messages change, so corrected messages
 * are written again. So are activity logs, which are short.
 */
class ChatCopy {
  readonly #target: CopyTarget
  readonly #resumes: boolean
  /** The conversation in which the last batch ended. */
  #clientId = ''
  #last: CopiedMessage | null = null
  #activityN = 0
  /** The conversation's highest seq in the target. */
  #storedSeq = 0

  constructor(target: CopyTarget, resumes: boolean) {
    this.#target = target
    this.#resumes = resumes
  }

  async store(batch: ChatEntry[]): Promise<void> {
    const stored = this.#resumes ? await this.#storedSeqs(batch) : new Map()
    const messages: CopiedMessage[] = []
    const activity: CopiedActivity[] = []
    const chats: CopiedChat[] = []
    for (const { table, row } of batch) {
      if (row.clientId !== this.#clientId) {
        this.#clientId = row.clientId
        this.#last = null
        this.#activityN = 0
        this.#storedSeq = stored.get(row.clientId)?.seq ?? 0
      }
      if (table === 'conversations') {
        chats.push({ conversation: row, lastMessage: this.#last, activityN: this.#activityN })
      } else if (table === 'activity') {
        this.#activityN = row.n
        activity.push(row)
      } else {
        this.#last = row
        if (row.seq > this.#storedSeq || row.edited !== null) messages.push(row)
      }
    }
    const last = messages.at(-1)
    if (last !== undefined && batch.at(-1)?.row === last) {
      const unread = { visitorRead: 0, adminRead: 0, adminReadCount: 0 }
      // The conversation's keys follow with its own row. No server opens this store before that.
      const conversation = conversationOf({ ...last, keyHashes: [] }, last, new Unanswered(), unread)
      chats.push({ conversation, lastMessage: last, activityN: 0 })
    }
    await this.#target.put(messages, chats, activity)
  }

  /**
   * Returns the stored seq of each conversation that begins in this batch, after removing conversations from another
   * epoch.
   */
  async #storedSeqs(batch: ChatEntry[]): Promise<Map<string, { epoch: string; seq: number }>> {
    const epochs = new Map(batch.map(({ row }) => [row.clientId, row.epoch]))
    epochs.delete(this.#clientId)
    const stored = await this.#target.chatsSoFar([...epochs.keys()])
    const old = [...epochs].filter(([clientId, epoch]) => stored.get(clientId)?.epoch !== epoch)
    if (old.length > 0) await this.#target.forget(old.map(([clientId]) => clientId))
    for (const [clientId] of old) stored.delete(clientId)
    return stored
  }
}

/** Counts and hashes each table's rows. Files and their rows are hashed in the order of their names. */
class Tally {
  readonly counts = Object.fromEntries(TABLES.map((table) => [table, 0])) as Counts
  readonly files: Readonly<Record<FileTable, Map<string, string>>> = {
    uploads: new Map(),
    attachmentFiles: new Map(),
  }
  /** The attachments' rows, sorted by name before hashing, because older backups have them in another order. */
  readonly #attachments = new Map<string, string>()
  readonly #hashes = new Map<Table, Hash>(TABLES.map((table) => [table, createHash('sha256')]))
  readonly #onCount: (table: Table, done: number) => void
  #shown: Table | null = null

  constructor(onCount: (table: Table, done: number) => void) {
    this.#onCount = onCount
  }

  add(entry: Entry): void {
    const { table } = entry
    const shown = progressTable(table)
    if (this.#shown !== shown) this.report()
    this.#shown = shown
    this.counts[table] += 1
    if (isFileEntry(entry)) {
      const { name, bytes } = entry.row
      this.files[entry.table].set(name, createHash('sha256').update(bytes).digest('hex'))
    } else if (table === 'attachments') {
      this.#attachments.set(entry.row._id, fieldsOf(entry))
    } else {
      this.#hashes.get(table)?.update(fieldsOf(entry))
    }
  }

  report(): void {
    if (this.#shown !== null) this.#onCount(this.#shown, this.counts[this.#shown])
  }

  /** Returns one message for each table that differs. */
  differencesTo(other: Tally): string[] {
    const [ours, theirs] = [this.#digests(), other.#digests()]
    return TABLES.flatMap((table) => {
      if (this.counts[table] !== other.counts[table]) {
        return [`${table}: ${this.counts[table]} in the source, ${other.counts[table]} in the copy`]
      }
      return ours.get(table) === theirs.get(table) ? [] : [`some ${table} differ`]
    })
  }

  #digests(): Map<Table, string> {
    const digests = new Map([...this.#hashes].map(([table, hash]) => [table, hash.copy().digest('hex')]))
    for (const table of FILE_TABLES) digests.set(table, JSON.stringify([...this.files[table]].sort()))
    digests.set('attachments', JSON.stringify([...this.#attachments.values()].sort()))
    return digests
  }
}

function fieldsOf({ table, row }: Entry): string {
  return `${JSON.stringify(FIELDS[table].map((field) => row[field as keyof typeof row]))}\n`
}

async function* inBatches(entries: AsyncIterable<Entry>): AsyncIterable<Entry[]> {
  let batch: Entry[] = []
  let characters = 0
  for await (const entry of entries) {
    batch.push(entry)
    characters += sizeOf(entry)
    if (batch.length === BATCH_ROWS || characters >= BATCH_CHARACTERS) {
      yield batch
      batch = []
      characters = 0
    }
  }
  if (batch.length > 0) yield batch
}

function sizeOf(entry: Entry): number {
  if (isFileEntry(entry)) return entry.row.bytes.length
  let size = 0
  for (const value of Object.values(entry.row)) if (typeof value === 'string') size += value.length
  return size
}
