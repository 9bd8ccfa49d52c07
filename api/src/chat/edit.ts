import { AppError, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { MESSAGE_FIELD } from '@proctorpass/shared/fields/message'
import type { Message, PatchMessage } from '@proctorpass/shared/schemas/chat'
import type { Caller } from '../auth/caller.ts'
import type { EditRefusal } from '../storage/model/conversation/edits.ts'
import type { Storage } from '../storage/model/storage.ts'
import { notifyActivity } from './inbox-notices.ts'
import type { Notify } from './listeners.ts'
import { adminIn } from './permissions.ts'

/**
 * Corrects an admin's newest message, once for each nonce. Resolves when the new words are durable, also when a call
 * changes nothing because the message has these words already. Throws an AppError.
 */
export type EditMessage = (
  caller: Caller,
  clientId: string,
  seq: number,
  edit: PatchMessage,
) => Promise<Message>

export function createEdit({
  storage,
  now,
  notify,
}: {
  storage: Pick<Storage, 'inbox'>
  now: () => number
  notify: Notify
}): EditMessage {
  return async (caller, clientId, seq, { nonce, epoch, ...input }) => {
    const { userId } = adminIn(caller)
    // Only a message with files may be empty, which the store decides.
    const isEmpty = MESSAGE_FIELD.clean(input.message) === ''
    const message = isEmpty ? '' : checkFields({ message: MESSAGE_FIELD }, input).message
    const edited = await storage.inbox.edit({ clientId, seq, nonce, by: userId, message, epoch, at: now() })
    if (edited.outcome === 'stored') {
      notify((listener) => listener.messageEdited(edited.message, edited.keyHashes))
      notifyActivity(notify, edited.activity)
    }
    if ('message' in edited) return edited.message
    throw refusal(edited.outcome)
  }
}

function refusal(outcome: EditRefusal): AppError {
  switch (outcome) {
    case 'missing':
      return new AppError('not-found', 'Message not found.')
    case 'not-theirs':
      return new AppError('forbidden', 'You can edit only messages that you wrote.')
    case 'empty':
      return fieldError('message', 'Message is required')
    case 'stale-epoch':
      return new AppError('stale-epoch', 'This conversation was reset.')
    case 'nonce-taken':
      return new AppError('conflict', 'This change was already made with a different text.')
    case 'answered':
      return new AppError(
        'conflict',
        'This message can no longer be edited, because there are newer messages.',
      )
    case 'too-late':
      return new AppError('conflict', 'A message can be edited for 15 minutes.')
  }
}
