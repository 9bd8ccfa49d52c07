import {
  CircleCheck,
  Clock,
  MessageSquareOff,
  OctagonAlert,
  RotateCcw,
  ShieldCheck,
  Tag,
  UserRoundPlus,
  X,
} from 'virtual:icons'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { Status } from '@proctorpass/shared/schemas/inbox'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Icon } from '../../../components/icon.tsx'
import { useMedia } from '../../../components/use-media.ts'
import { onDemand } from '../../ui/on-demand.tsx'
import { ariaKeys } from '../../ui/shortcuts.ts'
import type { InboxMenuName } from '../changes/inbox-menu.tsx'
import { useInboxChange } from '../changes/use-inbox-change.ts'

const InboxMenu = onDemand(async () => (await import('../changes/inbox-menu.tsx')).InboxMenu)

const PRESSES = ['resolve', 'settle', 'spam'] as const
type BulkPress = (typeof PRESSES)[number]
export type BulkAction = InboxMenuName | BulkPress

interface BulkBarProps {
  selected: readonly ConversationSummary[]
  /** The menu that is open, or the action to run at once. */
  action: BulkAction | null
  onAction: (action: BulkAction | null) => void
  onSelectAll: () => void
  onClear: () => void
  /** Called when the chosen conversations have been changed. */
  onDone: () => void
}

/** Shows what the admin can do with the chosen conversations. */
export function BulkBar(props: BulkBarProps) {
  const { selected, action, onAction, onSelectAll, onClear, onDone } = props
  const inbox = useInboxChange()
  const buttons = {
    assign: useRef<HTMLButtonElement>(null),
    snooze: useRef<HTMLButtonElement>(null),
    label: useRef<HTMLButtonElement>(null),
  }
  const isNone = selected.length === 0
  const areAll = (wanted: Status) => !isNone && selected.every(({ status }) => status === wanted)
  const isResolved = areAll('resolved')
  const isSpam = areAll('spam')
  const waits = selected.some(({ waitingSince }) => waitingSince !== null)
  const presses = {
    settle: { label: 'Needs no answer', keys: 'd', icon: MessageSquareOff, change: inbox.settle },
    resolve: isResolved
      ? { label: 'Reopen', keys: 'e', icon: RotateCcw, change: inbox.reopen }
      : { label: 'Resolve', keys: 'e', icon: CircleCheck, change: inbox.resolve },
    spam: isSpam
      ? { label: 'Not spam', keys: '!', icon: ShieldCheck, change: inbox.takeFromSpam }
      : { label: 'Spam', keys: '!', icon: OctagonAlert, change: inbox.markSpam },
  }

  function press(name: BulkPress) {
    void presses[name].change(selected)
    onAction(null)
    onDone()
  }
  // The bar is drawn first, because a menu opens beside its button.
  const [menu, setMenu] = useState<InboxMenuName | null>(null)
  const act = useEffectEvent(() => {
    if (!isPress(action)) setMenu(action)
    else if (!isNone) press(action)
  })
  useEffect(() => act(), [action])

  // Where the buttons have two rows, a tip would lie over a button of the other row.
  const hasTips = useMedia('(min-width: 48em)')
  const shortcut = (label: string, keys: string) => ({
    'aria-keyshortcuts': ariaKeys(keys),
    'data-tip': hasTips ? label : undefined,
  })
  const menuButton = (name: InboxMenuName, label: string, keys: string, icon: string) => (
    <button
      ref={buttons[name]}
      type="button"
      className="button button-quiet"
      aria-haspopup="dialog"
      {...shortcut(label, keys)}
      disabled={isNone}
      onClick={() => onAction(name)}
    >
      <Icon of={icon} />
      {label}
    </button>
  )

  const pressButton = (name: BulkPress, isEnabled = !isNone) => {
    const { label, keys, icon } = presses[name]
    return (
      <button
        type="button"
        className="button button-quiet"
        {...shortcut(label, keys)}
        disabled={!isEnabled}
        onClick={() => press(name)}
      >
        <Icon of={icon} />
        {label}
      </button>
    )
  }

  return (
    <fieldset className="bulk-bar" aria-label="Selected conversations">
      <p role="status">{selected.length.toLocaleString('en')} selected</p>
      <button type="button" className="button button-quiet bulk-all" onClick={onSelectAll}>
        Select all
      </button>
      <button type="button" className="icon-button" aria-label="Clear selection" onClick={onClear}>
        <Icon of={X} />
      </button>
      {menuButton('assign', 'Assign', 'a', UserRoundPlus)}
      {!isSpam && pressButton('resolve')}
      {!isSpam && pressButton('settle', waits)}
      {!isSpam && menuButton('snooze', 'Snooze', 's', Clock)}
      {menuButton('label', 'Label', 'l', Tag)}
      {pressButton('spam')}
      {menu !== null && !isNone && (
        <InboxMenu
          onFailed={() => onAction(null)}
          name={menu}
          conversations={selected}
          near={buttons[menu].current}
          onClose={() => onAction(null)}
          onChange={onDone}
        />
      )}
    </fieldset>
  )
}

function isPress(action: BulkAction | null): action is BulkPress {
  return (PRESSES as readonly (BulkAction | null)[]).includes(action)
}
