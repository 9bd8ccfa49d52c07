import type { Update } from '@proctorpass/shared/schemas/updates'
import type { QueryClient } from '@tanstack/react-query'
import type { AdminChat } from '../../../chat/engine/admin-chat.ts'
import type { LiveConversations } from './live-conversations.ts'
import { seenMarksOf } from './seen-marks.ts'
import { updatesQuery } from './update-marks.ts'

/** Facts arrive in bursts. They are gathered for this long before a refetch. */
const GATHER_MS = 2_000
/** Mentions and assignments are shown sooner. */
const GATHER_ENTRIES_MS = 300

/** Reads the updates again after facts that concern this admin, and keeps the marks in sync. */
export function subscribeToUpdates(options: {
  queryClient: QueryClient
  chat: AdminChat
  userId: string
  conversations: LiveConversations
}): () => void {
  const { queryClient, chat, userId, conversations } = options
  const seenMarks = seenMarksOf(chat)
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Number.POSITIVE_INFINITY
  const refetchSoon = (wait = GATHER_MS) => {
    if (dueAt <= performance.now() + wait) return
    dueAt = performance.now() + wait
    clearTimeout(timer)
    timer = setTimeout(() => {
      dueAt = Number.POSITIVE_INFINITY
      void queryClient.invalidateQueries(updatesQuery)
    }, wait)
  }
  const isMine = (clientId: string) => {
    const known = conversations.find(clientId)
    return known === undefined || known.assigneeId === userId
  }
  const unsubscribers = [
    chat.onActivity(({ kind, by, data }) => {
      if (kind === 'note' ? by !== userId && data.mentions.includes(userId) : kind === 'assignee') {
        refetchSoon(GATHER_ENTRIES_MS)
      }
    }),
    chat.onMessage(({ clientId }) => {
      if (isMine(clientId)) refetchSoon()
    }),
    chat.onChanged(({ assigneeId }) => {
      if (assigneeId === userId) refetchSoon()
    }),
    chat.onErased(() => refetchSoon()),
    chat.onResync(() => void queryClient.invalidateQueries(updatesQuery)),
    seenMarks.onMoved(({ clientId, epoch, seq, back }) => {
      if (back) void queryClient.invalidateQueries(updatesQuery)
      else queryClient.setQueryData(updatesQuery.queryKey, (list) => list && seenMarks.applyTo(list))
      const known = conversations.find(clientId)
      if (known?.lastMessage.epoch === epoch && (back || seq > (known.seen ?? 0))) {
        // A list that is being read may have the mark from before.
        const resume = back ? conversations.pause() : null
        conversations.apply([{ ...known, seen: seq }])
        resume?.()
      }
    }),
  ]
  return () => {
    clearTimeout(timer)
    for (const unsubscribe of unsubscribers) unsubscribe()
  }
}

export const updateKey = ({ clientId, epoch, seq, n }: Update) => `${clientId} ${epoch} ${seq} ${n}`

/** Returns the address of an update's place in its conversation. */
export function updateAddress({ clientId, kind, seq, n }: Update): string {
  return `/dashboard/messages/${clientId}?${kind === 'reply' ? `seq=${seq}` : `n=${n}`}`
}
