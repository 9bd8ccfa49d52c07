import { REPLY_TEXT_MAX, SHORTCUT_PATTERN } from '@proctorpass/shared/limits'
import Type from 'typebox'
import { Id, Positive, text } from './bounds.ts'
import { newId } from './ids.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A canned reply. Its `_id` has 24 hex digits. */
export interface ReplyRecord {
  _id: string
  /** The unique shortcut. */
  shortcut: string
  text: string
  /** Begins with 1 and increases by 1 with each change. */
  version: number
}

export interface NewReply {
  shortcut: string
  text: string
  createdAt: number
  /** The ID of an imported reply. Another one gets a new ID. */
  _id?: string
}

/** Undefined fields stay as they are. */
export interface ReplyChange {
  shortcut?: string | undefined
  text?: string | undefined
}

export type ReplyStored<Refusal extends string> =
  | { outcome: 'stored'; reply: ReplyRecord }
  | { outcome: 'shortcut-taken' | Refusal }

export const REPLIES: PlainTable<ReplyRecord> = {
  name: 'replies',
  key: '_id',
  fields: {
    _id: Id,
    shortcut: Type.String({ pattern: SHORTCUT_PATTERN }),
    text: text(REPLY_TEXT_MAX),
    version: Positive,
  },
  indexes: { shortcut: { by: { shortcut: 1 }, unique: true } },
}

export function openReplies(replies: Rows<ReplyRecord>) {
  return {
    /**
     * Lists all replies in the order of their shortcuts by code units. The condition matches all, so that the index
     * serves it.
     */
    list: () => replies.list({ shortcut: { '>=': '' } }, { order: { shortcut: 1 } }),

    /**
     * Creates a reply. `full` means that the store has `max` replies. Two concurrent calls may both find the last place
     * free. A taken shortcut is reported first.
     */
    async create(
      { shortcut, text, createdAt, _id = newId(createdAt) }: NewReply,
      max: number,
    ): Promise<ReplyStored<'full'>> {
      if ((await replies.find({ shortcut })) !== null) return { outcome: 'shortcut-taken' }
      if ((await replies.count()) >= max) return { outcome: 'full' }
      const reply = { _id, shortcut, text, version: 1 }
      return (await replies.insert(reply)) ? { outcome: 'stored', reply } : { outcome: 'shortcut-taken' }
    },

    /**
     * Stores the change under the next version, but only while `version` is stored. The write itself checks this, so
     * one of two changes to the same version is stored and the other is `stale`.
     */
    async update(
      _id: string,
      { shortcut, text }: ReplyChange,
      version: number,
    ): Promise<ReplyStored<'missing' | 'stale'>> {
      const before = await replies.find({ _id })
      if (before === null) return { outcome: 'missing' }
      if (before.version !== version) return { outcome: 'stale' }
      const change = {
        shortcut: shortcut ?? before.shortcut,
        text: text ?? before.text,
        version: version + 1,
      }
      switch (await replies.update({ _id, version }, change)) {
        case 'updated':
          return { outcome: 'stored', reply: { _id, ...change } }
        case 'duplicate':
          return { outcome: 'shortcut-taken' }
        case 'missing':
          // A reply that was removed in the meantime counts as changed.
          return { outcome: 'stale' }
      }
    },

    /** Returns false when the reply is missing. */
    remove: async (_id: string) => (await replies.remove({ _id })) === 1,
  }
}
