import type { EditedWords } from '../model/conversation/conversation.ts'
import { firstCharacters, SUMMARY_TEXT_READ } from '../model/conversation/rows.ts'

/** A message's newest words, while they are in its conversation's document. */
export interface PendingEdit extends EditedWords {
  epoch: string
  seq: number
}

/** Returns the message with the words that are pending in its conversation, if they are newer. */
export function withPendingEdit<
  M extends { epoch: string; seq: number; edited?: EditedWords | null | undefined },
>(message: M, { pendingEdit }: { pendingEdit?: PendingEdit | undefined }): M {
  if (pendingEdit === undefined) return message
  const { epoch, seq, ...edited } = pendingEdit
  const isIts = epoch === message.epoch && seq === message.seq
  return isIts && edited.edit > (message.edited?.edit ?? 0) ? { ...message, edited } : message
}

/** Returns the words as the list shows them. */
export function cutWords(edited: EditedWords): EditedWords {
  return { ...edited, message: firstCharacters(edited.message, SUMMARY_TEXT_READ) }
}
