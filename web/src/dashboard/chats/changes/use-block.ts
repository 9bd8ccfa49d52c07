import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Blocked, ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useQueryClient } from '@tanstack/react-query'
import { toast } from '../../../components/toast.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { visitorQuery } from '../live/summaries.ts'
import { takeBack } from './send-changes.ts'
import { useUndo } from './use-undo.ts'

/**
 * Blocks a visitor, which also resolves their conversation, and lifts a block. Undo of a block lifts it and restores the
 * conversation's status. A longer or shorter block has no Undo, because the earlier one cannot be set again.
 */
export function useBlock() {
  const queryClient = useQueryClient()
  const { conversations: live } = useAdminChat()
  const undo = useUndo()

  async function send(clientId: string, hours: number | null | undefined): Promise<Blocked> {
    const path = adminPaths.conversationBlock(clientId)
    const answer = await (hours === undefined
      ? callAsAdmin<Blocked>(path, { method: 'DELETE' })
      : callAsAdmin<Blocked>(path, { method: 'POST', body: { hours } }))
    if (answer.data) live.apply([answer.data])
    void queryClient.invalidateQueries(visitorQuery(clientId))
    return answer
  }

  async function undoBlock(before: ConversationSummary, { message, data }: Blocked): Promise<void> {
    try {
      await send(before.clientId, undefined)
      if (data && data.version !== before.version) {
        const done = { before, change: { status: 'resolved' as const }, version: data.version }
        const { restored, changedSince, error } = await takeBack([done])
        live.apply(restored)
        if (error !== null) throw error
        if (changedSince > 0) {
          return undo.notify('warning', 'Visitor unblocked. A teammate has changed the conversation since.')
        }
      }
      undo.notify('success', `Undone: ${message}`)
    } catch (error) {
      toast.error(errorMessage(error))
    }
  }

  return {
    /** Null blocks for good. */
    async block(shown: ConversationSummary, hours: number | null): Promise<void> {
      const before = live.find(shown.clientId) ?? shown
      const sending = send(before.clientId, hours)
      const canUndo = before.blockedUntil === null
      const ownUndo = canUndo
        ? undo.offer(
            sending.then(
              (blocked) => () => undoBlock(before, blocked),
              () => null,
            ),
          )
        : null
      try {
        const { message } = await sending
        if (!ownUndo?.isUsed()) undo.notify('success', message, ownUndo?.run)
      } catch (error) {
        ownUndo?.withdraw()
        toast.error(errorMessage(error))
      }
    },

    async unblock({ clientId }: ConversationSummary): Promise<void> {
      try {
        toast.success((await send(clientId, undefined)).message)
      } catch (error) {
        toast.error(errorMessage(error))
      }
    },
  }
}
