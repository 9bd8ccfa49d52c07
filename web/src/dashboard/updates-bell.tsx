import { type ReactNode, useRef, useState } from 'react'
import { useAdminLink } from './chats/live/admin-chat-context.tsx'
import { useUpdates, useUpdateToasts } from './chats/live/use-updates.ts'
import { onDemand } from './ui/on-demand.tsx'

const UpdateMenu = onDemand(async () => (await import('./update-menu.tsx')).UpdateMenu)

/** The bell in the frame: how many updates are new; opens their list. */
export function UpdatesBell({ icon }: { icon: ReactNode }) {
  const { via } = useAdminLink()
  const updates = useUpdates(via)
  useUpdateToasts(updates)
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const count = updates?.filter(({ isSeen }) => !isSeen).length ?? 0
  return (
    <>
      <button
        ref={button}
        type="button"
        className="dashboard-button"
        aria-haspopup="dialog"
        aria-label={count === 0 ? 'Notifications' : `Notifications, ${count} new`}
        title="Notifications"
        onClick={() => setOpen(true)}
      >
        {icon}
        {count > 0 && <span className="dashboard-badge">{count}</span>}
      </button>
      {isOpen && (
        <UpdateMenu
          onFailed={() => setOpen(false)}
          updates={updates ?? []}
          near={button.current}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
