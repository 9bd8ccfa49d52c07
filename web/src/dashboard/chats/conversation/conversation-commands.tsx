import {
  ArrowDown,
  ArrowUp,
  CircleCheck,
  CircleSlash,
  Clock,
  Download,
  Ellipsis,
  MessageSquareDot,
  MessageSquareOff,
  OctagonAlert,
  PanelRight,
  RotateCcw,
  ShieldCheck,
  Tag,
  Trash2,
  UserRoundPlus,
} from 'virtual:icons'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { Icon } from '../../../components/icon.tsx'
import { useMedia } from '../../../components/use-media.ts'
import { onDemand } from '../../ui/on-demand.tsx'
import { ariaKeys, type PageCommand, useCommands } from '../../ui/shortcuts.ts'
import type { InboxMenuName } from '../changes/inbox-menu.tsx'
import { useInboxChange } from '../changes/use-inbox-change.ts'
import { useMarkUnread } from '../changes/use-mark-unread.ts'
import type { ConversationHeadProps } from './conversation-head.tsx'
import { BY_SHORTCUT, useGoOn } from './use-go-on.ts'
import type { Neighbors } from './use-neighbors.ts'
import { useListAddress } from './ways.tsx'

const InboxMenu = onDemand(async () => (await import('../changes/inbox-menu.tsx')).InboxMenu)
const BlockMenu = onDemand(async () => (await import('../changes/block-menu.tsx')).BlockMenu)
const ConversationMenu = onDemand(async () => (await import('./conversation-menu.tsx')).ConversationMenu)
const EraseDialog = onDemand(async () => (await import('../changes/conversation-data.tsx')).EraseDialog)

/** If this matches, the head has room for every command. */
const WIDE = '(min-width: 90em)'

type Opened = InboxMenuName | 'block' | 'more' | 'erase'

export interface HeadCommand extends PageCommand {
  /** What the command opens. */
  opens?: Opened | 'visitor'
  isRed?: boolean
}

interface HeadCommandsProps extends ConversationHeadProps {
  neighbors: Neighbors
  /** Whether the head has one button and a menu instead of a button for each command. */
  isCompact: boolean
  /** Rendered above the menu's commands if the head has no room for it. */
  state: ReactNode
}

/** Renders an open conversation's buttons and menu, and handles its keys. */
export function HeadCommands({ neighbors, isCompact, state, ...head }: HeadCommandsProps) {
  const { clientId, summary, onErased, onVisitor } = head
  const [opened, setOpened] = useState<Opened | null>(null)
  const buttons = useRef(new Map<string, HTMLButtonElement>())
  const navigate = useNavigate()
  const go = useGo()
  const goOn = useGoOn(neighbors)
  const change = useChanges(head, neighbors, setOpened)
  const visitor: HeadCommand[] = onVisitor
    ? [{ label: 'Visitor', icon: PanelRight, opens: 'visitor', run: onVisitor }]
    : []
  const { nextWaiting } = neighbors
  const next: HeadCommand[] = nextWaiting
    ? [
        {
          label: 'Next in line',
          icon: ArrowDown,
          keys: 'alt+j',
          inFields: true,
          run: () => void navigate(nextWaiting),
        },
      ]
    : []
  const markUnread = useMarkUnread()
  const list = useListAddress()
  // Spam is never new.
  const unread: HeadCommand[] =
    summary && summary.status !== 'spam'
      ? [
          {
            label: 'Mark as unread',
            icon: MessageSquareDot,
            keys: 'u',
            run: async () => {
              if (await markUnread([summary])) navigate(list)
            },
          },
        ]
      : []
  const data: HeadCommand[] = onErased
    ? [
        { label: 'Download conversation', icon: Download, run: () => void download(clientId) },
        { label: 'Erase conversation', icon: Trash2, isRed: true, run: () => setOpened('erase') },
      ]
    : []
  useCommands([
    ...change,
    { label: 'Next conversation', icon: ArrowDown, keys: 'j', run: () => go(neighbors.next) },
    { label: 'Previous conversation', icon: ArrowUp, keys: 'k', run: () => go(neighbors.previous) },
    ...next,
    ...unread,
    ...visitor,
    ...data,
  ])

  const isWide = useMedia(WIDE)
  const shown = isCompact ? change.slice(0, 1) : [...change, ...(isWide ? unread : []), ...visitor]
  const hidden = isCompact ? [...change.slice(1), ...unread, ...visitor, ...next] : isWide ? [] : unread
  const rest = [...hidden, ...data]
  const close = () => setOpened(null)
  const near = (opened !== null && buttons.current.get(opened)) || buttons.current.get('more') || null
  const hasLostFocus = useRef(false)
  const asButton = (name: string) => (element: HTMLButtonElement | null) => {
    if (element) buttons.current.set(name, element)
    else {
      hasLostFocus.current ||= buttons.current.get(name) === document.activeElement
      buttons.current.delete(name)
    }
  }
  const first = shown[0]
  useEffect(() => void InboxMenu.preload(), [])
  useLayoutEffect(() => {
    // A button can leave when it is pressed, and the focus stays in the head.
    if (hasLostFocus.current && document.activeElement === document.body) {
      buttons.current.get(first?.opens ?? first?.label ?? '')?.focus()
    }
    hasLostFocus.current = false
  })

  return (
    <div className="conversation-actions">
      {shown.map((command) => {
        const { label, icon, keys, run, opens } = command
        const hasWords = command === change[0]
        return (
          <button
            key={label}
            ref={asButton(opens ?? label)}
            type="button"
            className={hasWords ? 'button' : 'icon-button'}
            aria-label={hasWords ? undefined : label}
            aria-haspopup={opens && 'dialog'}
            aria-keyshortcuts={keys && ariaKeys(keys)}
            data-tip={label}
            onClick={run}
          >
            <Icon of={icon} />
            {hasWords && label}
          </button>
        )
      })}
      {rest.length > 0 && (
        <button
          ref={asButton('more')}
          type="button"
          className="icon-button"
          aria-haspopup="dialog"
          aria-label="More about this conversation"
          onClick={() => setOpened('more')}
        >
          <Icon of={Ellipsis} />
        </button>
      )}
      {opened === 'more' && (
        <ConversationMenu onFailed={close} commands={rest} near={near} onClose={close}>
          {isCompact && state}
        </ConversationMenu>
      )}
      {opened === 'block' && summary && (
        <BlockMenu onFailed={close} conversation={summary} near={near} onClose={close} />
      )}
      {opened === 'erase' && onErased && (
        <EraseDialog onFailed={close} clientId={clientId} onClose={close} onErased={onErased} />
      )}
      {(opened === 'assign' || opened === 'snooze' || opened === 'label') && summary && (
        <InboxMenu
          onFailed={close}
          name={opened}
          conversations={[summary]}
          near={near}
          onClose={close}
          onChange={(name, stored) => name === 'snooze' && void goOn(stored)}
        />
      )}
    </div>
  )
}

function useGo() {
  const navigate = useNavigate()
  return (address: string | undefined): void => {
    if (address !== undefined) navigate(address, { state: BY_SHORTCUT })
  }
}

/** Returns the commands that change the conversation, with the most used first. */
function useChanges(
  { summary }: ConversationHeadProps,
  neighbors: Neighbors,
  open: (opened: Opened) => void,
): HeadCommand[] {
  const inbox = useInboxChange()
  const goOn = useGoOn(neighbors)
  if (!summary) return []

  const menu = (label: string, icon: string, opens: Opened, keys?: string): HeadCommand => ({
    label,
    icon,
    opens,
    run: () => open(opens),
    ...(keys !== undefined && { keys }),
  })
  const rest = [
    menu('Assign', UserRoundPlus, 'assign', 'a'),
    menu('Labels', Tag, 'label', 'l'),
    menu('Block', CircleSlash, 'block'),
  ]
  if (summary.status === 'spam') {
    const run = () => void inbox.takeFromSpam([summary])
    return [{ label: 'Not spam', icon: ShieldCheck, keys: '!', run }, ...rest]
  }
  return [
    ...(summary.status === 'resolved'
      ? []
      : [{ label: 'Resolve', icon: CircleCheck, keys: 'e', run: () => void goOn(inbox.resolve([summary])) }]),
    ...(summary.waitingSince === null
      ? []
      : [
          {
            label: 'Needs no answer',
            icon: MessageSquareOff,
            keys: 'd',
            run: () => void inbox.settle([summary]),
          },
        ]),
    ...(summary.status === 'open'
      ? []
      : [{ label: 'Reopen', icon: RotateCcw, run: () => void inbox.reopen([summary]) }]),
    menu('Snooze', Clock, 'snooze', 's'),
    { label: 'Spam', icon: OctagonAlert, keys: '!', run: () => void goOn(inbox.markSpam([summary])) },
    ...rest,
  ]
}

async function download(clientId: string): Promise<void> {
  const { downloadConversation } = await import('../changes/conversation-data.tsx')
  await downloadConversation(clientId)
}
