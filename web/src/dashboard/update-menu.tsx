import type { Update } from '@proctorpass/shared/schemas/updates'
import { Link } from 'react-router'
import { RelativeTime } from '../chat/view/relative-clock.tsx'
import { useAdminChat } from './chats/live/admin-chat-context.tsx'
import { seenMarksOf } from './chats/live/seen-marks.ts'
import { updateAddress, updateKey } from './chats/live/updates.ts'
import { updateTitle } from './chats/live/use-updates.ts'
import { Dialog } from './ui/dialog.tsx'
import { useTeam } from './ui/team.ts'
import './update-menu.css'

interface UpdateMenuProps {
  updates: readonly Update[]
  near: HTMLElement | null
  onClose: () => void
}

/** Shows the updates, newest first. It is open while it is rendered. */
export function UpdateMenu({ updates, near, onClose }: UpdateMenuProps) {
  const { chat, userId } = useAdminChat()
  const seenMarks = seenMarksOf(chat)
  const team = useTeam()
  const fresh = updates.filter(({ isSeen }) => !isSeen)
  return (
    <Dialog title="Notifications" near={near} onClose={onClose}>
      {updates.length === 0 ? (
        <p className="updates-empty">
          No notifications yet. Mentions, conversations assigned to you, and visitors waiting in your
          conversations appear here.
        </p>
      ) : (
        <ul className="updates">
          {updates.map((update) => (
            <li key={updateKey(update)} data-new={!update.isSeen}>
              <Link to={updateAddress(update)} onClick={onClose}>
                <span className="updates-title">
                  {!update.isSeen && <span className="visually-hidden">New: </span>}
                  {/* The sentence is English, also if it begins with an Arabic name. */}
                  <bdi dir="ltr">{updateTitle(update, { team, userId })}</bdi>
                </span>
                {update.text !== '' && <bdi className="updates-text">{update.text}</bdi>}
                <RelativeTime iso={update.at} />
              </Link>
            </li>
          ))}
        </ul>
      )}
      <div className="dialog-end">
        {fresh.length > 0 && (
          <button
            type="button"
            className="button"
            onClick={() => {
              for (const { clientId, epoch, seq, n } of fresh) seenMarks.mark({ clientId, epoch, seq, n })
            }}
          >
            Mark all as seen
          </button>
        )}
        <button type="button" className="button button-quiet" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
