import { UNKNOWN_VISITOR } from '@proctorpass/shared/new-conversation'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { useClockText } from '../../chat/view/relative-clock.tsx'
import { toast } from '../../components/toast.ts'
import { useMedia } from '../../components/use-media.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { onDemand } from '../ui/on-demand.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { ariaKeys, keysLabel, type PageCommand, useCommands } from '../ui/shortcuts.ts'
import { adminName, useTeam } from '../ui/team.ts'
import { useAdminChat } from './admin-chat.tsx'
import { Avatar } from './avatar.tsx'
import { searchOf } from './filters.ts'
import type { InboxMenuName } from './inbox-menu.tsx'
import { snoozeTime } from './snooze-times.ts'
import { useInboxChange } from './use-inbox-change.ts'
import { useListFilter } from './use-list-filter.ts'
import { type Neighbors, useNeighbors } from './use-neighbors.ts'
import { visitorName } from './visitor-name.ts'

/** State of a navigation after which the next key is a shortcut, and so the message box gets no focus. */
export const BY_SHORTCUT = { byShortcut: true }

/** Where the head has one line: its buttons are behind "More". */
const LOW = '(max-height: 29.99em)'

const InboxMenu = onDemand(async () => (await import('./inbox-menu.tsx')).InboxMenu)
const BlockMenu = onDemand(async () => (await import('./block-menu.tsx')).BlockMenu)
const DataMenu = onDemand(async () => (await import('./data-menu.tsx')).DataMenu)

interface ConversationHeadProps {
  clientId: string
  /** Undefined until it is known, and without messages. */
  summary: ConversationSummary | undefined
  /** A time, or `forever`; null without a block, or when unknown. */
  blockedUntil: string | null
  /** Whether the visitor is online; null when unknown. */
  online: boolean | null
  /** Called once it is erased; null while there is nothing to erase. */
  onErased: (() => void) | null
  /** Shows the panel about the visitor; null while it is beside the conversation. */
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
  const isLow = useMedia(LOW)
  const [isMoreOpen, setMoreOpen] = useState(false)
  const rest = (
    <>
      {summary ? <StateLine summary={summary} /> : <div className="conversation-state" />}
      <Actions {...props} neighbors={neighbors} isLow={isLow} />
    </>
  )
  return (
    <header className="conversation-head">
      <div className="conversation-ways">
        <Link to={`/dashboard/chats${searchOf(filter)}`}>All conversations</Link>
        <NextWaitingLink address={neighbors.nextWaiting} />
      </div>
      <div className="conversation-visitor">
        <Avatar clientId={clientId} name={name} />
        <PageHeading>
          <span className="visually-hidden">Conversation with </span>
          <bdi>{name}</bdi>
        </PageHeading>
        <p className="conversation-facts">
          <span className="conversation-id">{clientId}</span>
          {online !== null && <span>{online ? 'Online' : 'Offline'}</span>}
          {blocked !== '' && <strong className="conversation-blocked">{blocked}</strong>}
        </p>
      </div>
      {isLow ? (
        // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what its button opened
        <div
          className="conversation-more"
          onKeyDown={(event) => {
            if (event.key === 'Escape') setMoreOpen(false)
          }}
        >
          <button
            type="button"
            className="dashboard-button"
            aria-expanded={isMoreOpen}
            onClick={() => setMoreOpen(!isMoreOpen)}
          >
            More
          </button>
          {/* Rendered all the time: its shortcuts work while it is closed. */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: a press of a button inside */}
          <div className="conversation-rest" hidden={!isMoreOpen} onClick={() => setMoreOpen(false)}>
            {rest}
          </div>
        </div>
      ) : (
        rest
      )}
    </header>
  )
}

/** Status, assignee and labels. */
function StateLine({ summary }: { summary: ConversationSummary }) {
  const { userId } = useAdminChat()
  const team = useTeam()
  const { status, snoozedUntil, assigneeId, labels } = summary
  return (
    <ul className="conversation-state" aria-label="State">
      <li data-status={status}>
        {status === 'open' && 'Open'}
        {status === 'resolved' && 'Resolved'}
        {status === 'snoozed' && `Snoozed until ${snoozeTime(snoozedUntil ?? '', serverNow())}`}
      </li>
      <li>
        {assigneeId === null
          ? 'Unassigned'
          : `Assigned to ${adminName(team, assigneeId, userId).replace('You', 'you')}`}
      </li>
      {labels.map((label) => (
        <li key={label} className="conversation-label">
          <span className="visually-hidden">Label: </span>
          <bdi>{label}</bdi>
        </li>
      ))}
    </ul>
  )
}

interface ActionsProps extends ConversationHeadProps {
  neighbors: Neighbors
  isLow: boolean
}

function Actions({ clientId, summary, onErased, onVisitor, neighbors, isLow }: ActionsProps) {
  const navigate = useNavigate()
  const inbox = useInboxChange()
  const [menu, setMenu] = useState<InboxMenuName | 'block' | 'data' | null>(null)
  const buttons = {
    assign: useRef<HTMLButtonElement>(null),
    snooze: useRef<HTMLButtonElement>(null),
    label: useRef<HTMLButtonElement>(null),
    block: useRef<HTMLButtonElement>(null),
    data: useRef<HTMLButtonElement>(null),
  }
  const go = (address: string | undefined) => address && navigate(address, { state: BY_SHORTCUT })

  async function resolve(): Promise<void> {
    if (!summary) return
    const next = neighbors.longestWaiting
    if (!(await inbox.resolve([summary]))) return
    if (next === undefined) toast.info('No other conversation is waiting')
    else go(next)
  }

  const change: (PageCommand & { button?: RefObject<HTMLButtonElement | null> })[] = summary
    ? [
        ...(summary.status === 'resolved'
          ? []
          : [{ label: 'Resolve', keys: 'e', run: () => void resolve() }]),
        ...(summary.status === 'open' ? [] : [{ label: 'Reopen', run: () => void inbox.reopen([summary]) }]),
        { label: 'Snooze', keys: 's', run: () => setMenu('snooze'), button: buttons.snooze },
        { label: 'Assign', keys: 'a', run: () => setMenu('assign'), button: buttons.assign },
        { label: 'Labels', keys: 'l', run: () => setMenu('label'), button: buttons.label },
        { label: 'Block', run: () => setMenu('block'), button: buttons.block },
      ]
    : []
  useCommands([
    ...change,
    { label: 'Next conversation', keys: 'j', run: () => void go(neighbors.next) },
    { label: 'Previous conversation', keys: 'k', run: () => void go(neighbors.previous) },
    ...(neighbors.nextWaiting ? [{ label: 'Next waiting', run: () => void go(neighbors.nextWaiting) }] : []),
    ...(onVisitor ? [{ label: 'Visitor', run: onVisitor }] : []),
    ...(onErased ? [{ label: 'Download or erase', run: () => setMenu('data') }] : []),
  ])

  return (
    <div className="conversation-actions">
      {change.map(({ label, keys, run, button }) => (
        <button
          key={label}
          ref={button}
          type="button"
          className="dashboard-button"
          aria-haspopup={button ? 'dialog' : undefined}
          aria-keyshortcuts={keys && ariaKeys(keys)}
          title={keys && `${label} (${keysLabel(keys)})`}
          onClick={run}
        >
          {label}
        </button>
      ))}
      <span className="conversation-others">
        {onVisitor && (
          <button type="button" className="dashboard-button" aria-haspopup="dialog" onClick={onVisitor}>
            Visitor
          </button>
        )}
        {onErased && (
          <button
            ref={buttons.data}
            type="button"
            className="dashboard-button"
            aria-haspopup="dialog"
            aria-label="More about this conversation"
            onClick={() => setMenu('data')}
          >
            …
          </button>
        )}
      </span>
      {menu === 'block' && (
        <BlockMenu
          onFailed={() => setMenu(null)}
          clientId={clientId}
          near={isLow ? null : buttons.block.current}
          onClose={() => setMenu(null)}
        />
      )}
      {menu === 'data' && onErased && (
        <DataMenu
          onFailed={() => setMenu(null)}
          clientId={clientId}
          near={isLow ? null : buttons.data.current}
          onClose={() => setMenu(null)}
          onErased={onErased}
        />
      )}
      {menu !== null && menu !== 'block' && menu !== 'data' && summary && (
        <InboxMenu
          onFailed={() => setMenu(null)}
          name={menu}
          conversations={[summary]}
          near={isLow ? null : buttons[menu].current}
          onClose={() => setMenu(null)}
        />
      )}
    </div>
  )
}

/** A link to the next waiting visitor; Alt+J follows it, also while typing. */
function NextWaitingLink({ address }: { address: string | undefined }) {
  const navigate = useNavigate()
  useEffect(() => {
    if (!address) return
    const handleKeyDown = (event: KeyboardEvent) => {
      // `code`, not `key`: with Alt, J types another character on a Mac.
      if (!event.altKey || event.ctrlKey || event.metaKey || event.code !== 'KeyJ') return
      event.preventDefault()
      navigate(address)
    }
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  }, [address, navigate])

  return address ? (
    <Link className="dashboard-button" to={address} aria-keyshortcuts="Alt+J" title="Alt+J">
      Next waiting
    </Link>
  ) : null
}
