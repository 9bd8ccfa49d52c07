import type { Db } from 'mongodb'
import { type AuditRecord, dueEntry, type NewAuditEntry, nextEntry } from '../model/audit.ts'
import { newId } from '../model/ids.ts'
import type { Rows } from '../model/plain-table.ts'
import { collectionsOf, type PendingAuditDoc } from './collections.ts'

/** Longer than any call of the port lasts: a change that is not stored by then never will be. */
const ABANDONED_MS = 15_000

export interface AuditedWrites {
  /**
   * Changes or inserts a document, with the entry that is due, if any: `write` gets what it has to add to the document.
   * `tookEffect` says whether the document was changed.
   */
  change<T>(
    document: { collection: string; _id: string },
    write: (carried: Carried) => Promise<T>,
    tookEffect: (result: T) => boolean,
  ): Promise<T>
  /** Removes documents, with the entry that is due. `recover` may repeat it. */
  remove<T>(
    documents: { collection: string; filter: object },
    write: () => Promise<T>,
    tookEffect: (result: T) => boolean,
  ): Promise<T>
}

/** The id of the entry: for an update, and for a new document. */
export interface Carried {
  push: { $push?: { audit: string } }
  field: { audit?: string[] }
}

const NOTHING: Carried = { push: {}, field: {} }

/** Writes of a store that holds no audit log, and of the log itself. */
export const UNAUDITED: AuditedWrites = {
  change: (_document, write) => write(NOTHING),
  remove: (_documents, write) => write(),
}

/**
 * The chain of the audit log. Inserting the next number assigns it: of several nodes one succeeds, the others retry.
 *
 * The entry of a change is written down in `auditPending` before the change. The write of the change also adds the id of
 * the entry to the document, which so tells whether the change was stored. Then the entry is appended to the chain, and
 * both notes are removed. `recover` does this for processes that died in between: an entry whose document does not have
 * its id is dropped, and a removal is repeated.
 * @see docs/decisions/0068-audit-log.md
 */
export function openAuditChain(db: Db, rows: Rows<AuditRecord>) {
  const { auditPending: pending } = collectionsOf(db)

  async function append(entry: NewAuditEntry, source = newId(entry.at)): Promise<void> {
    for (;;) {
      const [head = null] = await rows.list({}, { order: { _id: -1 }, limit: 1 })
      if (await rows.insert(nextEntry(head, entry, source))) return
      // Another process was first, or has appended this entry.
      if ((await rows.find({ source })) !== null) return
    }
  }

  async function settle({ _id, collection, filter, isRemoval, entry }: PendingAuditDoc): Promise<void> {
    await append(entry, _id)
    if (!isRemoval) await audited(collection).updateOne(JSON.parse(filter), { $pull: { audit: _id } })
    await pending.deleteOne({ _id })
  }

  const audited = (collection: string) => db.collection<{ audit?: string[] }>(collection)

  async function write<T>(
    { collection, filter, isRemoval }: { collection: string; filter: object; isRemoval: boolean },
    run: (carried: Carried) => Promise<T>,
    tookEffect: (result: T) => boolean,
  ): Promise<T> {
    const due = dueEntry()
    if (due === undefined) return run(NOTHING)
    const { entry } = due
    const _id = newId(entry.at)
    const note = { _id, collection, filter: JSON.stringify(filter), isRemoval, entry, at: Date.now() }
    await pending.insertOne(note)
    // When it rejects, it may still be stored: `recover` finds out.
    const result = await run({ push: { $push: { audit: _id } }, field: { audit: [_id] } })
    if (!tookEffect(result)) {
      await pending.deleteOne({ _id })
      return result
    }
    due.isStored = true
    // The change is stored: `recover` appends an entry that could not be.
    await settle(note).catch(() => {})
    return result
  }

  const writes: AuditedWrites = {
    change: ({ collection, _id }, run, tookEffect) =>
      write({ collection, filter: { _id }, isRemoval: false }, run, tookEffect),
    remove: ({ collection, filter }, run, tookEffect) =>
      write({ collection, filter, isRemoval: true }, run, tookEffect),
  }

  return {
    append: (entry: NewAuditEntry) => append(entry),
    writes,

    /** Appends the entries of changes whose process died, in the order of the changes. */
    async recover(abandonedMs = ABANDONED_MS): Promise<void> {
      const found = pending.find({ at: { $lte: Date.now() - abandonedMs } }).sort({ at: 1 })
      for await (const note of found) {
        const { _id, collection, isRemoval } = note
        const filter = JSON.parse(note.filter)
        if (isRemoval) await audited(collection).deleteMany(filter)
        if (isRemoval || (await audited(collection).findOne({ ...filter, audit: _id })) !== null)
          await settle(note)
        else await pending.deleteOne({ _id })
      }
    },
  }
}
