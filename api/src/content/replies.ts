import { AppError, changedMeanwhile, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { REPLY_FIELDS } from '@proctorpass/shared/fields/reply'
import { REPLIES_MAX } from '@proctorpass/shared/limits'
import type {
  CannedReply,
  CannedReplyChange,
  CannedReplyList,
  NewCannedReply,
} from '@proctorpass/shared/schemas/reply'
import type { AdminCaller } from '../auth/caller.ts'
import type { Storage } from '../storage/model/storage.ts'

/** The admins' use cases for canned replies. Wrong fields throw an AppError `invalid-input` with a detail for each. */
export function createReplies({ storage, now }: { storage: Storage; now: () => number }) {
  return {
    async list(_admin: AdminCaller): Promise<CannedReplyList> {
      const replies = await storage.replies.list()
      return { replies, count: replies.length }
    },

    /**
     * Throws an AppError `conflict`, with a detail for a taken `shortcut`, and without one if there are already
     * REPLIES_MAX.
     */
    async create(_admin: AdminCaller, input: NewCannedReply): Promise<CannedReply> {
      const { shortcut, text } = checkFields(REPLY_FIELDS, input)
      const created = await storage.replies.create({ shortcut, text, createdAt: now() }, REPLIES_MAX)
      if (created.outcome === 'stored') return created.reply
      throw created.outcome === 'full' ? full() : shortcutTaken()
    },

    /**
     * Changes the given fields. Throws as `create` does, and an AppError `not-found`, or `conflict` with a detail for
     * `version` if the reply changed since that version.
     */
    async update(
      _admin: AdminCaller,
      id: string,
      { version, ...input }: CannedReplyChange,
    ): Promise<CannedReply> {
      const { shortcut, text } = checkFields(REPLY_FIELDS, input)
      if (shortcut === undefined && text === undefined) {
        throw new AppError('invalid-input', 'There are no changes to save.')
      }
      const updated = await storage.replies.update(id, { shortcut, text }, version)
      if (updated.outcome === 'stored') return updated.reply
      if (updated.outcome === 'missing') throw notFound()
      throw updated.outcome === 'stale' ? changedMeanwhile('this canned reply') : shortcutTaken()
    },

    /** Deletes a canned reply for good. Throws an AppError `not-found` for an unknown one. */
    async remove(_admin: AdminCaller, id: string): Promise<void> {
      if (!(await storage.replies.remove(id))) throw notFound()
    },
  }
}

export type Replies = ReturnType<typeof createReplies>

function notFound(): AppError {
  return new AppError('not-found', 'Canned reply not found.')
}

function shortcutTaken(): AppError {
  return fieldError('shortcut', 'This shortcut is taken. Choose another one.', { code: 'conflict' })
}

function full(): AppError {
  const max = REPLIES_MAX.toLocaleString('en')
  return new AppError('conflict', `There are already ${max} canned replies. Delete one to add another.`)
}
