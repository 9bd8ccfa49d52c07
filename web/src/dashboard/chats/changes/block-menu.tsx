import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Blocked } from '@proctorpass/shared/schemas/inbox'
import { useQueryClient } from '@tanstack/react-query'
import { toast } from '../../../components/toast.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { ChoiceList } from '../../ui/choice-list.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { visitorQuery } from '../live/summaries.ts'
import { useVisitor } from '../live/use-visitor.ts'
import { snoozeTime } from './snooze-times.ts'
import './menus.css'

const HOURS: Record<string, number | null> = { '1 hour': 1, '1 day': 24, '1 week': 168, Permanently: null }
const UNBLOCK = 'Unblock'

interface BlockMenuProps {
  clientId: string
  near?: HTMLElement | null
  onClose: () => void
}

/** Blocks a visitor, or lifts the block. It is open while it is rendered. */
export function BlockMenu({ clientId, near, onClose }: BlockMenuProps) {
  const queryClient = useQueryClient()
  const { visitor } = useVisitor(clientId)
  const blockedUntil = visitor?.blockedUntil ?? null

  async function choose(choice: string): Promise<void> {
    onClose()
    const path = adminPaths.conversationBlock(clientId)
    try {
      const { message } = await (choice === UNBLOCK
        ? callAsAdmin<Blocked>(path, { method: 'DELETE' })
        : callAsAdmin<Blocked>(path, { method: 'POST', body: { hours: HOURS[choice] ?? null } }))
      toast.success(message)
    } catch (error) {
      toast.error(errorMessage(error))
    }
    void queryClient.invalidateQueries(visitorQuery(clientId))
  }

  const choices = Object.keys(HOURS).map((label) => ({ id: label, label }))
  return (
    <Dialog title="Block this visitor" near={near ?? null} onClose={onClose}>
      <p>
        {blockedUntil === null
          ? "Blocking resolves the conversation. New messages and files from this visitor will be rejected. They can still read the conversation and won't be notified."
          : `Blocked ${blockedUntil === 'forever' ? 'permanently' : `until ${snoozeTime(blockedUntil, serverNow())}`}`}
      </p>
      <ChoiceList
        choices={blockedUntil === null ? choices : [{ id: UNBLOCK, label: UNBLOCK }, ...choices]}
        onChoose={(choice) => void choose(choice)}
      />
    </Dialog>
  )
}
