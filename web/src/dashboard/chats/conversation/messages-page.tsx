import { CLIENT_ID_PATTERN } from '@proctorpass/shared/limits'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { useMedia } from '../../../components/use-media.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { ConversationList } from '../list/conversation-list.tsx'
import { VisitorDetails, VisitorPanel } from '../visitor/visitor-panel.tsx'
import { ConversationView } from './conversation-view.tsx'
import { ListHead } from './ways.tsx'

const CLIENT_ID = new RegExp(CLIENT_ID_PATTERN)
// The widths are in em, because the columns grow with the browser's text size and the conversation must keep its room.
const ROOM_FOR_LIST = '(min-width: 64em)'
const ROOM_FOR_VISITOR = '(min-width: 80em)'

export function MessagesPage() {
  const { clientId = '' } = useParams()
  const besideList = useMedia(ROOM_FOR_LIST)
  const besideVisitor = useMedia(ROOM_FOR_VISITOR)
  const [asksVisitor, setAsksVisitor] = useState(false)
  if (!CLIENT_ID.test(clientId)) {
    return (
      <section className="dashboard-page">
        <PageHeading>Conversation not found</PageHeading>
        <EmptyState
          message="Check the address: a visitor's ID has 20 letters and digits."
          action={
            <Link className="button" to="/dashboard/chats">
              All conversations
            </Link>
          }
        />
      </section>
    )
  }
  return (
    <div className="dashboard-page dashboard-page-full messages-page">
      {besideList && (
        <aside aria-label="Conversations">
          <ListHead clientId={clientId} />
          <ConversationList current={clientId} />
        </aside>
      )}
      <ConversationView
        key={clientId}
        clientId={clientId}
        isBesideList={besideList}
        onVisitor={besideVisitor ? null : () => setAsksVisitor(true)}
      />
      {besideVisitor && <VisitorPanel key={`visitor ${clientId}`} clientId={clientId} />}
      {asksVisitor && !besideVisitor && (
        <Dialog title="Visitor" isAtSide onClose={() => setAsksVisitor(false)}>
          <VisitorDetails key={clientId} clientId={clientId} />
        </Dialog>
      )}
    </div>
  )
}
