import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { type MouseEvent, useState } from 'react'
import { onDemand } from '../ui/on-demand.tsx'
import type { InboxMenuName } from './inbox-menu.tsx'
import { useInboxChange } from './use-inbox-change.ts'

const InboxMenu = onDemand(async () => (await import('./inbox-menu.tsx')).InboxMenu)

interface BulkBarProps {
  selected: readonly ConversationSummary[]
  onSelectAll: () => void
  onClear: () => void
  /** The chosen conversations were changed. */
  onDone: () => void
}

const MENUS: readonly { name: InboxMenuName; label: string }[] = [
  { name: 'snooze', label: 'Snooze' },
  { name: 'label', label: 'Label' },
]

/** What can be done with the chosen conversations. */
export function BulkBar({ selected, onSelectAll, onClear, onDone }: BulkBarProps) {
  const inbox = useInboxChange()
  const [menu, setMenu] = useState<{ name: InboxMenuName; near: HTMLElement } | null>(null)
  const isNone = selected.length === 0
  const isResolved = !isNone && selected.every(({ status }) => status === 'resolved')
  const open = (name: InboxMenuName) => (event: MouseEvent<HTMLElement>) =>
    setMenu({ name, near: event.currentTarget })

  return (
    <fieldset className="bulk-bar" aria-label="Selected conversations">
      <p role="status">{selected.length.toLocaleString('en')} selected</p>
      <button type="button" className="dashboard-button bulk-all" onClick={onSelectAll}>
        Select all
      </button>
      <button type="button" className="dashboard-button bulk-clear" onClick={onClear}>
        Clear <span className="visually-hidden">selection</span>
      </button>
      <button type="button" className="dashboard-button" disabled={isNone} onClick={open('assign')}>
        Assign
      </button>
      <button
        type="button"
        className="dashboard-button"
        disabled={isNone}
        onClick={() => {
          void (isResolved ? inbox.reopen(selected) : inbox.resolve(selected))
          onDone()
        }}
      >
        {isResolved ? 'Reopen' : 'Resolve'}
      </button>
      {MENUS.map(({ name, label }) => (
        <button key={name} type="button" className="dashboard-button" disabled={isNone} onClick={open(name)}>
          {label}
        </button>
      ))}
      {menu && (
        <InboxMenu
          onFailed={() => setMenu(null)}
          name={menu.name}
          conversations={selected}
          near={menu.near}
          onClose={() => setMenu(null)}
          onChanged={onDone}
        />
      )}
    </fieldset>
  )
}
