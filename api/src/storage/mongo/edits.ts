import type { Filter } from 'mongodb'
import type { Collections, ConversationDoc, MessageDoc } from './collections.ts'
import { withPendingEdit } from './pending-edit.ts'

export type EditMoves = ReturnType<typeof openEditMoves>

/**
 * Opens the moves of corrections. A correction's update stores the new words in the conversation's document, together
 * with the entry that has the earlier ones. They are moved to the message's document afterwards. If a process dies in
 * between, the next correction or the sweep moves them. Readers look at both places.
 * @see docs/decisions/0124-corrections.md
 */
export function openEditMoves({ conversations, messages }: Collections) {
  return {
    /** Moves the pending words to their message. Words of an erased history are dropped. */
    async moveEdit({ _id, epoch, pendingEdit }: ConversationDoc): Promise<void> {
      if (pendingEdit === undefined) return
      const { epoch: editedIn, seq, ...edited } = pendingEdit
      const message = editedIn === epoch ? await messages.findOne({ clientId: _id, epoch, seq }) : null
      const before = message?.edited?.edit ?? null
      if (message !== null && (before ?? 0) < edited.edit) {
        // The filter matches a missing field as null. If it matches nothing, another process has moved the same words.
        const unmoved = { _id: message._id, 'edited.edit': before } as Filter<MessageDoc>
        await messages.updateOne(unmoved, { $set: { edited } })
      }
      await conversations.updateOne(
        { _id, 'pendingEdit.epoch': editedIn, 'pendingEdit.edit': edited.edit },
        { $unset: { pendingEdit: '', pendingEditOf: '' } },
      )
    },

    /** Returns the message with its newest words, or null. `found` was read before the call. */
    async messageNow(found: ConversationDoc, seq: number): Promise<MessageDoc | null> {
      const message = await messages.findOne({ clientId: found._id, epoch: found.epoch, seq })
      return message && withPendingEdit(message, found)
    },
  }
}
