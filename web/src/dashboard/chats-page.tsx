import { ConversationList } from './conversation-list.tsx'
import { PageHeading } from './page-heading.tsx'

export function ChatsPage() {
  return (
    <section className="dashboard-page chats">
      <PageHeading>Messages</PageHeading>
      <ConversationList />
    </section>
  )
}
