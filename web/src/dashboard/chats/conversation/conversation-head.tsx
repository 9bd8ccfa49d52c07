import { UNKNOWN_VISITOR } from '@proctorpass/shared/inbox'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useClockText } from '../../../chat/view/relative-clock.tsx'
import { useMedia } from '../../../components/use-media.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Heading } from '../../ui/page-heading.tsx'
import { adminName, useTeam } from '../../ui/team.ts'
import { snoozeTime } from '../changes/snooze-times.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { visitorName } from '../live/visitor-name.ts'
import { HeadCommands } from './conversation-commands.tsx'
import { useNeighbors } from './use-neighbors.ts'
import { WayBack, WayOn } from './ways.tsx'

/** If this matches, the head has the name, one button, and a menu. */
const COMPACT = '(max-width: 47.99em), (max-height: 29.99em)'

export interface ConversationHeadProps {
  clientId: string
  /** Undefined until it is known, and if there are no messages. */
  summary: ConversationSummary | undefined
  /** A time, or `forever`. Null if there is no block or it is unknown. */
  blockedUntil: string | null
  /** Whether the visitor is online. Null if it is unknown. */
  online: boolean | null
  /** Whether the list is beside the conversation, with the ways to other conversations over it. */
  isBesideList: boolean
  /** Called once the conversation has been erased. Null while there is nothing to erase. */
  onErased: (() => void) | null
  /** Shows the panel about the visitor. Null while the panel is beside the conversation. */
  onVisitor: (() => void) | null
}

export function ConversationHead(props: ConversationHeadProps) {
  const { clientId, summary, blockedUntil, online, isBesideList } = props
  const name = visitorName({ clientId, visitor: summary?.visitor ?? UNKNOWN_VISITOR })
  const blocked = useClockText((now) =>
    blockedUntil === 'forever' || Date.parse(blockedUntil ?? '') > now ? 'Blocked' : '',
  )
  const neighbors = useNeighbors(clientId, summary)
  const isCompact = useMedia(COMPACT)
  const state = summary && <StateLine summary={summary} />

  return (
    <header className="conversation-head" data-compact={isCompact || undefined}>
      {!isBesideList && <WayBack isIcon />}
      <Avatar clientId={clientId} name={name} large online={online === true} />
      <div className="conversation-visitor">
        <Heading>
          <span className="visually-hidden">Conversation with </span>
          <bdi>{name}</bdi>
        </Heading>
        <div className="conversation-facts">
          {blocked !== '' && <strong className="conversation-blocked">{blocked}</strong>}
          {online !== null && <span data-online={online}>{online ? 'Online' : 'Offline'}</span>}
          {isCompact ? summary && <Decisions summary={summary} /> : state}
        </div>
      </div>
      {!isBesideList && !isCompact && neighbors.nextWaiting && <WayOn to={neighbors.nextWaiting} isIcon />}
      <HeadCommands {...props} neighbors={neighbors} isCompact={isCompact} state={state} />
    </header>
  )
}

/** Shows what admins have decided, on one line and in the words of `StateLine`. It leaves out the default state. */
function Decisions({ summary }: { summary: ConversationSummary }) {
  const status = useStatusText(summary)
  const assignee = useAssigneeText(summary)
  return (
    <>
      {summary.status !== 'open' && <span>{status}</span>}
      {summary.assigneeId !== null && <span>{assignee}</span>}
    </>
  )
}

/** Shows the status, the assignee, and the labels. */
function StateLine({ summary }: { summary: ConversationSummary }) {
  const status = useStatusText(summary)
  const assignee = useAssigneeText(summary)
  return (
    <ul className="conversation-state" aria-label="State">
      <li>{status}</li>
      <li>{assignee}</li>
      {summary.labels.map((label) => (
        <li key={label} className="chip">
          <span className="visually-hidden">Label: </span>
          <bdi>{label}</bdi>
        </li>
      ))}
    </ul>
  )
}

function useStatusText({ status, snoozedUntil }: ConversationSummary): string {
  if (status === 'open') return 'Open'
  if (status === 'resolved') return 'Resolved'
  if (status === 'spam') return 'Spam'
  return `Snoozed until ${snoozeTime(snoozedUntil ?? '', serverNow())}`
}

function useAssigneeText({ assigneeId }: ConversationSummary): string {
  const { userId } = useAdminChat()
  const team = useTeam()
  if (assigneeId === null) return 'Unassigned'
  return `Assigned to ${adminName(team, assigneeId, userId).replace('You', 'you')}`
}
