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
  /** Called before the change is stored, when the menu has closed. */
  onChanged?: (name: InboxMenuName) => void
}

/** Shows a menu that changes conversations. It is open while it is rendered. */
export function InboxMenu({ name, conversations, near, onClose, onChanged }: InboxMenuProps) {
  const inbox = useInboxChange()
  const shared = { near: near ?? null, onClose }
  const changed = () => {
    onClose()
    onChanged?.(name)
  }
  if (name === 'assign') {
    const [first] = conversations
    const isSame = conversations.every(({ assigneeId }) => assigneeId === first?.assigneeId)
    return (
      <AssignMenu
        {...shared}
        assigneeId={isSame ? first?.assigneeId : undefined}
        onChoose={(assigneeId) => {
          void inbox.assign(conversations, assigneeId)
          changed()
        }}
      />
    )
  }
  if (name === 'snooze') {
    return (
      <SnoozeMenu
        {...shared}
        onChoose={(until) => {
          void inbox.snooze(conversations, until)
          changed()
        }}
      />
    )
  }
  return (
    <LabelMenu
      {...shared}
      lists={conversations.map(({ labels }) => labels)}
      onSave={(change) => {
        if (change.added.length + change.removed.length > 0) void inbox.label(conversations, change)
        changed()
      }}
    />
  )
}
