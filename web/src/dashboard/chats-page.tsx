import { ConversationList } from './conversation-list.tsx'
import { PageHeading } from './page-heading.tsx'

export function ChatsPage() {
  return (
    <section className="dashboard-page chats-page">
      <ConversationList heading={<PageHeading>Messages</PageHeading>} />
    </section>
  )
}
