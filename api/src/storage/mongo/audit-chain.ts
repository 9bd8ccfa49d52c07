import type { Db } from 'mongodb'
import { type AuditRecord, dueEntry, type NewAuditEntry, nextEntry } from '../model/audit.ts'
import { newId } from '../model/ids.ts'
import type { Rows } from '../model/plain-table.ts'
import { collectionsOf, type PendingAuditDoc } from './collections.ts'

/**
 * The age at which a pending entry counts as abandoned. It is longer than any call lasts, so its change is either
 * stored by then or never.
 */
const ABANDONED_MS = 15_000

export interface AuditedWrites {
  /**
   * Changes or inserts a document together with the due entry, if there is one. `write` gets what it must add to the
   * document. `tookEffect` says whether the document was changed.
   */
  change<T>(
    document: { collection: string; _id: string },
    write: (carried: Carried) => Promise<T>,
    tookEffect: (result: T) => boolean,
  ): Promise<T>
  /** Removes documents together with the due entry. `recover` may repeat the removal. */
  remove<T>(
    documents: { collection: string; filter: object },
    write: () => Promise<T>,
    tookEffect: (result: T) => boolean,
  ): Promise<T>
}

/** The entry's ID, in a form for an update and in a form for a new document. */
export interface Carried {
  push: { $push?: { audit: string } }
  field: { audit?: string[] }
}

const NOTHING: Carried = { push: {}, field: {} }

/** The writes for a store without an audit log, and for the log itself. */
export const UNAUDITED: AuditedWrites = {
  change: (_document, write) => write(NOTHING),
  remove: (_documents, write) => write(),
}

/**
 * Opens the audit log's chain. Inserting the next number assigns it: only one of several nodes succeeds, and the others
 * retry.
 *
 * A change's entry is written to `auditPending` before the change. The write of the change also adds the entry's ID to
 * the document, which so tells whether the change was stored. Then the entry is appended to the chain, and both notes
 * are removed. `recover` does this for processes that died in between. It drops an entry whose ID its document does not
 * have, and it repeats a removal.
 * @see docs/decisions/0068-audit-log.md
 */
export function openAuditChain(db: Db, rows: Rows<AuditRecord>) {
  const { auditPending: pending } = collectionsOf(db)

  async function append(entry: NewAuditEntry, source = newId(entry.at)): Promise<void> {
    for (;;) {
      const [head = null] = await rows.list({}, { order: { _id: -1 }, limit: 1 })
      if (await rows.insert(nextEntry(head, entry, source))) return
      // Another process was first or has already appended this entry.
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
    // A write that rejects may still be stored, which `recover` then finds out.
    const result = await run({ push: { $push: { audit: _id } }, field: { audit: [_id] } })
    if (!tookEffect(result)) {
      await pending.deleteOne({ _id })
      return result
    }
    due.isStored = true
    // The change is stored, so `recover` appends the entry if this fails.
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

    /** Appends the entries of changes whose processes died, in the order of the changes. */
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
