import { ChoiceList } from '../../ui/choice-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { adminName, isActive, useTeam } from '../../ui/team.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'

const NO_ADMIN = 'none'

interface AssignMenuProps {
  /** The present assignee. Undefined if several conversations have different assignees. */
  assigneeId: string | null | undefined
  near?: HTMLElement | null
  onChoose: (assigneeId: string | null) => void
  onClose: () => void
}

/** Lists the admins who can answer, with the caller first, to choose one. */
export function AssignMenu({ assigneeId, near, onChoose, onClose }: AssignMenuProps) {
  const { userId } = useAdminChat()
  const active = useTeam().filter((admin) => isActive(admin) && !admin.you)
  const admins = [
    { id: userId, label: 'You', detail: undefined },
    ...active.map((admin) => ({
      id: admin.userId,
      label: adminName(active, admin.userId, userId),
      detail: admin.onDuty ? undefined : 'Off duty',
    })),
  ]
  return (
    <Dialog title="Assign" near={near} onClose={onClose}>
      <ChoiceList
        choices={[...admins, { id: NO_ADMIN, label: 'Unassigned' }].map((choice) => ({
          ...choice,
          isCurrent: choice.id === (assigneeId === null ? NO_ADMIN : assigneeId),
        }))}
        onChoose={(id) => onChoose(id === NO_ADMIN ? null : id)}
      />
    </Dialog>
  )
}
