import { ArrowLeft } from 'virtual:icons'
import { UNKNOWN_VISITOR } from '@proctorpass/shared/inbox'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { Link } from 'react-router'
import { useClockText } from '../../../chat/view/relative-clock.tsx'
import { Icon } from '../../../components/icon.tsx'
import { useMedia } from '../../../components/use-media.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { ariaKeys, keysLabel } from '../../ui/shortcuts.ts'
import { adminName, useTeam } from '../../ui/team.ts'
import { snoozeTime } from '../changes/snooze-times.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { searchOf, useListFilter } from '../live/filters.ts'
import { visitorName } from '../live/visitor-name.tsx'
import { HeadCommands } from './conversation-commands.tsx'
import { useNeighbors } from './use-neighbors.ts'

/** If this matches, the head is one row with the name, one button, and a menu. */
const COMPACT = '(max-width: 47.99em), (max-height: 29.99em)'

export interface ConversationHeadProps {
  clientId: string
  /** Undefined until it is known, and if there are no messages. */
  summary: ConversationSummary | undefined
  /** A time, or `forever`. Null if there is no block or it is unknown. */
  blockedUntil: string | null
  /** Whether the visitor is online. Null if it is unknown. */
  online: boolean | null
  /** Called once the conversation has been erased. Null while there is nothing to erase. */
  onErased: (() => void) | null
  /** Shows the panel about the visitor. Null while the panel is beside the conversation. */
  onVisitor: (() => void) | null
}

export function ConversationHead(props: ConversationHeadProps) {
  const { clientId, summary, blockedUntil, online } = props
  const [filter] = useListFilter()
  const name = visitorName({ clientId, visitor: summary?.visitor ?? UNKNOWN_VISITOR })
  const blocked = useClockText((now) =>
    blockedUntil === 'forever' || Date.parse(blockedUntil ?? '') > now ? 'Blocked' : '',
  )
  const neighbors = useNeighbors(clientId, summary)
  const isCompact = useMedia(COMPACT)
  const list = `/dashboard/chats${searchOf(filter)}`
  const facts = (
    <>
      {blocked !== '' && <strong className="conversation-blocked">{blocked}</strong>}
      {online !== null && <span>{online ? 'Online' : 'Offline'}</span>}
    </>
  )
  const state = summary ? <StateLine summary={summary} /> : <div className="conversation-state" />
  const heading = (
    <PageHeading>
      <span className="visually-hidden">Conversation with </span>
      <bdi>{name}</bdi>
    </PageHeading>
  )
  const commands = <HeadCommands {...props} neighbors={neighbors} isCompact={isCompact} state={state} />

  if (isCompact) {
    return (
      <header className="conversation-head" data-compact>
        <Link className="button button-quiet" to={list} aria-label="All conversations">
          <Icon of={ArrowLeft} />
        </Link>
        <div className="conversation-visitor">
          {heading}
          <p className="conversation-facts">
            {facts}
            {summary && <Decisions summary={summary} />}
          </p>
        </div>
        {commands}
      </header>
    )
  }
  return (
    <header className="conversation-head">
      <div className="conversation-ways">
        <Link to={list}>All conversations</Link>
        {neighbors.nextWaiting && (
          <Link
            className="button button-quiet"
            to={neighbors.nextWaiting}
            aria-keyshortcuts={ariaKeys('alt+j')}
            title={keysLabel('alt+j')}
          >
            Next in line
          </Link>
        )}
      </div>
      <div className="conversation-visitor">
        <Avatar clientId={clientId} name={name} />
        {heading}
        <p className="conversation-facts">{facts}</p>
      </div>
      {state}
      {commands}
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
      <li data-status={summary.status}>{status}</li>
      <li>{assignee}</li>
      {summary.labels.map((label) => (
        <li key={label} className="conversation-label">
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
  return `Snoozed until ${snoozeTime(snoozedUntil ?? '', serverNow())}`
}

function useAssigneeText({ assigneeId }: ConversationSummary): string {
  const { userId } = useAdminChat()
  const team = useTeam()
  if (assigneeId === null) return 'Unassigned'
  return `Assigned to ${adminName(team, assigneeId, userId).replace('You', 'you')}`
}
