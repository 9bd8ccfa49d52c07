import { useLinkState } from '../chat/view/use-conversation.ts'
import { useAdminChat } from './chats/live/admin-chat-context.tsx'
import { ReportsPage } from './reports/reports-page.tsx'

/** Shows the Reports page with the facts that the chat's connection receives. */
export function LiveReports() {
  const { chat } = useAdminChat()
  const { connection, via } = useLinkState(chat.link)
  const isPolled = via === 'polling'
  const isPushed = connection === 'connected' && !isPolled
  return <ReportsPage source={{ onNow: chat.onNow, isPushed, isPolled }} />
}
