import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { PostedScheduled, PostScheduled } from '@proctorpass/shared/schemas/scheduled'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PendingAttachment } from '../../../chat/engine/attachments.ts'
import type { OutboxEntry } from '../../../chat/engine/outbox.ts'
import type { Conversation } from '../../../chat/engine/types.ts'
import { toast } from '../../../components/toast.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { SnoozeMenu } from '../changes/snooze-menu.tsx'
import { snoozeTime } from '../changes/snooze-times.ts'
import { scheduledQuery } from '../live/scheduled.ts'
import { SendAnyway } from './send-anyway.tsx'

interface SendLaterProps {
  conversation: Conversation
  /** What is scheduled. The nonce stays the same until it is stored. */
  message: { nonce: string; text: string; files: readonly PendingAttachment[] }
  near: HTMLElement | null
  /** Called once the message is stored. */
  onScheduled: () => void
  onClose: () => void
}

/** Asks when to send a message, and schedules it. */
export function SendLater({ conversation, message, near, onScheduled, onClose }: SendLaterProps) {
  const { clientId } = conversation
  const queryClient = useQueryClient()
  const [anyway, setAnyway] = useState(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string>()

  async function schedule(sendAt: string): Promise<void> {
    if (busy) return
    setBusy(true)
    setProblem(undefined)
    try {
      const attachments = await uploaded(conversation, message)
      const { nonce, text } = message
      const body: PostScheduled = {
        nonce,
        message: text,
        sendAt,
        anyway,
        ...(attachments && { attachments }),
      }
      await callAsAdmin<PostedScheduled>(adminPaths.conversationScheduled(clientId), { method: 'POST', body })
      void queryClient.invalidateQueries(scheduledQuery(clientId))
      toast.success(`Scheduled for ${snoozeTime(sendAt, serverNow())}`)
      onScheduled()
    } catch (error) {
      setBusy(false)
      setProblem((error as Error).message)
    }
  }

  return (
    <SnoozeMenu
      title="Send later"
      near={near}
      busy={busy}
      problem={problem}
      onChoose={(sendAt) => void schedule(sendAt)}
      onClose={onClose}
    >
      <SendAnyway checked={anyway} onChange={setAnyway} />
    </SnoozeMenu>
  )
}

/** Uploads the message's files and resolves to their IDs, or to undefined without files. */
async function uploaded(
  conversation: Conversation,
  { nonce, files }: SendLaterProps['message'],
): Promise<string[] | undefined> {
  if (files.length === 0) return undefined
  const opened = await conversation.openAttachments()
  let entry: Pick<OutboxEntry, 'state' | 'files'> = { state: 'sending', files }
  const outbox = {
    find: () => entry as OutboxEntry,
    replace: (changed: OutboxEntry) => {
      entry = changed
    },
  }
  return opened.uploads(outbox, () => {}).run(nonce)
}
