import { CalendarClock } from 'virtual:icons'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { PostedMessage } from '@proctorpass/shared/schemas/chat'
import type { Scheduled } from '@proctorpass/shared/schemas/scheduled'
import { useQueryClient } from '@tanstack/react-query'
import { memo, useRef, useState } from 'react'
import type { Conversation } from '../../../chat/engine/types.ts'
import { MessageAttachments } from '../../../chat/view/message-attachments.tsx'
import { MessageText } from '../../../chat/view/message-text.tsx'
import { useClockText } from '../../../chat/view/relative-clock.tsx'
import { Icon } from '../../../components/icon.tsx'
import { toast } from '../../../components/toast.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { onDemand } from '../../ui/on-demand.tsx'
import { useCommands } from '../../ui/shortcuts.ts'
import { snoozeTime } from '../changes/snooze-times.ts'
import { scheduledQuery } from '../live/scheduled.ts'
import '../../../chat/view/attachments/attachments.css'

const EditScheduled = onDemand(async () => (await import('../compose/edit-scheduled.tsx')).EditScheduled)

interface ScheduledRowProps {
  scheduled: Scheduled
  /** The admin who will send the message, or "You". */
  author: string
  conversation: Conversation
  /** Whether the command menu's commands are about this message. */
  hasCommands: boolean
}

/** Shows a message that is sent later, at the end of the messages. */
export const ScheduledRow = memo(function ScheduledRow({
  scheduled,
  author,
  conversation,
  hasCommands,
}: ScheduledRowProps) {
  const { _id, clientId, message, attachments, sendAt, anyway } = scheduled
  const queryClient = useQueryClient()
  const [editing, setEditing] = useState(false)
  const [busy, setBusy] = useState(false)
  const row = useRef<HTMLLIElement>(null)
  const time = useClockText((now) => snoozeTime(sendAt, now))

  async function run(call: () => Promise<unknown>): Promise<void> {
    if (busy) return
    setBusy(true)
    try {
      await call()
      // The row leaves, so the focus goes to the messages.
      if (row.current?.contains(document.activeElement)) {
        row.current.closest<HTMLElement>('[role="log"]')?.focus({ preventScroll: true })
      }
      const without = (list: { scheduled: Scheduled[] } | undefined) =>
        list && { scheduled: list.scheduled.filter((each) => each._id !== _id) }
      queryClient.setQueryData(scheduledQuery(clientId).queryKey, without)
    } catch (error) {
      toast.error((error as Error).message)
      void queryClient.invalidateQueries(scheduledQuery(clientId))
      setBusy(false)
    }
  }
  const edit = () => setEditing(true)
  const send = () =>
    void run(() =>
      callAsAdmin<PostedMessage>(adminPaths.scheduledSend(clientId, _id), { method: 'POST', body: {} }),
    )
  const cancel = () =>
    void run(() => callAsAdmin<null>(adminPaths.scheduled(clientId, _id), { method: 'DELETE' }))

  useCommands(
    hasCommands
      ? [
          { label: 'Edit scheduled message', icon: CalendarClock, run: edit },
          { label: 'Send now', icon: CalendarClock, run: send },
          { label: 'Cancel scheduled message', icon: CalendarClock, run: cancel },
        ]
      : [],
  )

  return (
    <li ref={row} className="activity-note" data-own data-scheduled>
      <div className="activity-bubble">
        <div className="activity-note-head">
          <Icon of={CalendarClock} />
          <p>
            Scheduled for <time dateTime={sendAt}>{time}</time>
            {author !== 'You' && (
              <>
                {' '}
                by <bdi className="activity-author">{author}</bdi>
              </>
            )}
            {anyway && ' · Sent anyway'}
          </p>
        </div>
        {message !== '' && <MessageText text={message} formatted />}
        {attachments && <MessageAttachments files={attachments} conversation={conversation} waiting={null} />}
      </div>
      <div className="chat-stopped" aria-busy={busy}>
        <button type="button" className="link-button" aria-label="Edit scheduled message" onClick={edit}>
          Edit
        </button>
        <button type="button" className="link-button" onClick={send}>
          Send now
        </button>
        <button type="button" className="link-button" aria-label="Cancel scheduled message" onClick={cancel}>
          Cancel
        </button>
      </div>
      {editing && (
        <EditScheduled
          scheduled={scheduled}
          onFailed={() => setEditing(false)}
          onClose={() => setEditing(false)}
        />
      )}
    </li>
  )
})
