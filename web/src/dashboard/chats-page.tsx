import { ConversationList } from './conversation-list.tsx'
import { PageHeading } from './page-heading.tsx'

export function ChatsPage() {
  return (
    <section className="dashboard-page chats-page">
      <PageHeading>Messages</PageHeading>
      <ConversationList />
    </section>
  )
}
