import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { AssignMenu } from './assign-menu.tsx'
import { LabelMenu } from './label-menu.tsx'
import { SnoozeMenu } from './snooze-menu.tsx'
import { useInboxChange } from './use-inbox-change.ts'
import './menus.css'

export type InboxMenuName = 'assign' | 'snooze' | 'label'

interface InboxMenuProps {
  name: InboxMenuName
  /** One or several conversations. The menu changes all of them. */
  conversations: readonly ConversationSummary[]
  /** The button to which the menu belongs. */
  near?: HTMLElement | null
  onClose: () => void
  /** Called when the menu has closed. `stored` resolves with whether everything was stored. */
  onChange?: (name: InboxMenuName, stored: Promise<boolean>) => void
}

/** Shows a menu that changes conversations. It is open while it is rendered. */
export function InboxMenu({ name, conversations, near, onClose, onChange }: InboxMenuProps) {
  const inbox = useInboxChange()
  const shared = { near: near ?? null, onClose }
  const changed = (stored: Promise<boolean>) => {
    onClose()
    onChange?.(name, stored)
  }
  if (name === 'assign') {
    const [first] = conversations
    const isSame = conversations.every(({ assigneeId }) => assigneeId === first?.assigneeId)
    return (
      <AssignMenu
        {...shared}
        assigneeId={isSame ? first?.assigneeId : undefined}
        onChoose={(assigneeId) => {
          changed(inbox.assign(conversations, assigneeId))
        }}
      />
    )
  }
  if (name === 'snooze') {
    return (
      <SnoozeMenu
        {...shared}
        onChoose={(until) => {
          changed(inbox.snooze(conversations, until))
        }}
      />
    )
  }
  return (
    <LabelMenu
      {...shared}
      lists={conversations.map(({ labels }) => labels)}
      onSave={(change) => {
        const isChange = change.added.length + change.removed.length > 0
        changed(isChange ? inbox.label(conversations, change) : Promise.resolve(true))
      }}
    />
  )
}
