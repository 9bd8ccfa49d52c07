import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { toast } from '../../../components/toast.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { seenMarksOf } from '../live/seen-marks.ts'
import { visitorName } from '../live/visitor-name.ts'

/** Returns a function that marks conversations as unread for this admin alone, and resolves with whether it succeeded. */
export function useMarkUnread() {
  const { chat } = useAdminChat()
  return async (conversations: readonly ConversationSummary[]): Promise<boolean> => {
    try {
      for (const { clientId, lastMessage } of conversations) {
        await seenMarksOf(chat).markUnread(clientId, lastMessage.epoch)
      }
    } catch (error) {
      toast.error(errorMessage(error))
      return false
    }
    const [only] = conversations
    const name =
      only && conversations.length === 1 ? visitorName(only) : `${conversations.length} conversations`
    toast.success(`Marked ${name} as unread`)
    return true
  }
}
