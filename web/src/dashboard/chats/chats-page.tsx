import { PageHeading } from '../ui/page-heading.tsx'
import { ConversationList } from './conversation-list.tsx'

export function ChatsPage() {
  return (
    <section className="dashboard-page chats-page">
      <ConversationList heading={<PageHeading>Messages</PageHeading>} />
    </section>
  )
}
