import { CircleCheck, Clock, MessageSquareOff, RotateCcw, Tag, UserRoundPlus, X } from 'virtual:icons'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { Icon } from '../../../components/icon.tsx'
import { useMedia } from '../../../components/use-media.ts'
import { onDemand } from '../../ui/on-demand.tsx'
import { ariaKeys } from '../../ui/shortcuts.ts'
import type { InboxMenuName } from '../changes/inbox-menu.tsx'
import { useInboxChange } from '../changes/use-inbox-change.ts'

const InboxMenu = onDemand(async () => (await import('../changes/inbox-menu.tsx')).InboxMenu)

export type BulkAction = InboxMenuName | 'resolve' | 'settle'

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
  const isResolved = !isNone && selected.every(({ status }) => status === 'resolved')

  const waits = selected.some(({ waitingSince }) => waitingSince !== null)

  function finish(change: Promise<boolean>) {
    void change
    onAction(null)
    onDone()
  }
  const resolve = () => finish(isResolved ? inbox.reopen(selected) : inbox.resolve(selected))
  const settle = () => finish(inbox.settle(selected))
  // The bar is drawn first, because a menu opens beside its button.
  const [menu, setMenu] = useState<InboxMenuName | null>(null)
  const act = useEffectEvent(() => {
    if (action !== 'resolve' && action !== 'settle') setMenu(action)
    else if (!isNone) (action === 'resolve' ? resolve : settle)()
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
      <button
        type="button"
        className="button button-quiet"
        {...shortcut(isResolved ? 'Reopen' : 'Resolve', 'e')}
        disabled={isNone}
        onClick={resolve}
      >
        <Icon of={isResolved ? RotateCcw : CircleCheck} />
        {isResolved ? 'Reopen' : 'Resolve'}
      </button>
      <button
        type="button"
        className="button button-quiet"
        {...shortcut('Needs no answer', 'd')}
        disabled={!waits}
        onClick={settle}
      >
        <Icon of={MessageSquareOff} />
        Needs no answer
      </button>
      {menuButton('snooze', 'Snooze', 's', Clock)}
      {menuButton('label', 'Label', 'l', Tag)}
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
