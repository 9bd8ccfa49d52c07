import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AppError } from '@proctorpass/shared/errors'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { ActivityPage, ConversationChange, Then } from '@proctorpass/shared/schemas/inbox'
import { useQueryClient } from '@tanstack/react-query'
import { toast } from '../../../components/toast.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { labelsQuery } from '../../ui/labels.ts'
import { adminName, useTeam } from '../../ui/team.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { fetchSummary, summaryQuery } from '../live/summaries.ts'
import { visitorName } from '../live/visitor-name.ts'
import { changedLabels, type LabelChange, reverse, withChange } from './inbox-changes.ts'
import { type Done, sendChanges, takeBack } from './send-changes.ts'
import { snoozeTime } from './snooze-times.ts'
import { useUndo } from './use-undo.ts'

type Conversations = readonly ConversationSummary[]

/**
 * Changes one or several conversations, first on the screen and then on the server. A notice names the result and
 * offers Undo. Each action resolves with whether everything was stored.
 */
export function useInboxChange() {
  const queryClient = useQueryClient()
  const { conversations: live, userId } = useAdminChat()
  const { notify, offer } = useUndo()
  const team = useTeam()

  /** `wordsOf` makes the notice from the text that names the changed conversations. */
  async function change(
    conversations: Conversations,
    changeOf: (conversation: ConversationSummary) => ConversationChange,
    wordsOf: (names: string) => string,
  ): Promise<boolean> {
    const noticeOf = (changed: Conversations) => wordsOf(namesOf(changed))
    const changes = conversations.map((shown) => {
      const before = live.find(shown.clientId) ?? shown
      return { before, change: changeOf(before) }
    })

    const resume = live.pause()
    live.apply(changes.map(({ before, change }) => withChange(before, change)))
    const sending = sendChanges(changes)
    const ownUndo = offer(
      sending.then(({ done }) => {
        if (done.length === 0) return null
        return () => undoAll(done, noticeOf(done.map(({ before }) => before)))
      }),
    )
    const { done, stored, missing, error } = await sending
    const isTakenBack = ownUndo.isUsed()
    if (done.length === 0) ownUndo.withdraw()
    if (error !== null) live.apply(notStored(changes, done))
    live.apply(stored)
    resume()

    if (changes.some(({ change: { labels } }) => labels)) void queryClient.invalidateQueries(labelsQuery)
    if (error !== null) toast.error(await reason(error, conversations))
    const changed =
      error === null
        ? conversations.slice(0, conversations.length - missing)
        : done.map(({ before }) => before)
    if (changed.length > 0 && !isTakenBack) {
      notify('success', noticeOf(changed), done.length > 0 ? ownUndo.run : undefined)
    }
    return error === null
  }

  async function undoAll(done: readonly Done[], notice: string): Promise<void> {
    const resume = live.pause()
    live.apply(
      done.map(({ before, change }) => {
        const now = live.find(before.clientId) ?? before
        return withChange(now, reverse(before, change, serverNow()))
      }),
    )
    const { restored, changedSince, error } = await takeBack(done)
    live.apply(restored)
    resume()
    for (const { before } of done) {
      void queryClient.invalidateQueries(summaryQuery(before.clientId))
    }
    if (error !== null) toast.error(errorMessage(error))
    else if (changedSince === 0) notify('success', `Undone: ${notice}`)
    else if (restored.length === 0) notify('warning', "Couldn't undo: a teammate has changed it since")
    else notify('warning', `Undone, except for ${changedSince} that a teammate changed in the meantime`)
  }

  /**
   * Returns why a change was not stored. After a conflict, the message names the admin who was first, and the newer
   * state is shown.
   */
  async function reason(error: unknown, [first]: Conversations): Promise<string> {
    if (!(error instanceof AppError) || error.code !== 'conflict' || !first) return errorMessage(error)
    try {
      const { clientId } = first
      const [summary, by] = await Promise.all([fetchSummary(clientId), lastChangeBy(clientId)])
      live.apply([summary])
      if (by !== null) return `Couldn't save: ${adminName(team, by, userId)} changed this conversation first`
    } catch {
      // The words below also fit without the names.
    }
    return "Couldn't save: this conversation has just changed"
  }

  return {
    /** Null leaves the conversations unassigned. */
    assign: (conversations: Conversations, assigneeId: string | null) => {
      const whom = assigneeId === userId ? 'you' : assigneeId && adminName(team, assigneeId, userId)
      return change(
        conversations,
        () => ({ assigneeId }),
        (names) => (whom === null ? `Unassigned ${names}` : `Assigned ${names} to ${whom}`),
      )
    },
    resolve: (conversations: Conversations) =>
      change(
        conversations,
        () => ({ status: 'resolved' }),
        (names) => `Resolved ${names}`,
      ),
    reopen: (conversations: Conversations) =>
      change(
        conversations,
        () => ({ status: 'open' }),
        (names) => `Reopened ${names}`,
      ),
    markSpam: (conversations: Conversations) =>
      change(
        conversations,
        () => ({ status: 'spam' }),
        (names) => `Marked ${names} as spam`,
      ),
    takeFromSpam: (conversations: Conversations) =>
      change(
        conversations,
        () => ({ spam: false }),
        (names) => `Marked ${names} as not spam`,
      ),
    /** `until` is an ISO time. */
    snooze: (conversations: Conversations, until: string) =>
      change(
        conversations,
        () => ({ status: 'snoozed', snoozedUntil: until }),
        (names) => `Snoozed ${names} until ${snoozeTime(until, serverNow())}`,
      ),
    /**
     * Shows and offers to undo the status that a stored message gave the conversation, unless the visitor has written
     * again. `before` is the conversation when the message was sent. Undo takes back only the status.
     */
    async sent(before: ConversationSummary, then: Then): Promise<void> {
      const now = await fetchSummary(before.clientId).catch(() => null)
      if (now !== null) live.apply([now])
      if (now !== null && now.status !== then.status) return
      const snoozed = then.snoozedUntil ? ` until ${snoozeTime(then.snoozedUntil, serverNow())}` : ''
      const notice = `${then.snoozedUntil ? 'Snoozed' : 'Resolved'} ${namesOf([before])}${snoozed}`
      if (now === null || before.status === now.status) return notify('success', notice)
      const done = [{ before, change: then, version: now.version }]
      const undo = offer(Promise.resolve(() => undoAll(done, notice)))
      notify('success', notice, undo.run)
    },
    /** Says that the messages which the admin sees need no answer. */
    async settle(conversations: Conversations): Promise<boolean> {
      const waiting = conversations.filter(({ waitingSince }) => waitingSince !== null)
      if (waiting.length === 0) {
        toast.info('No message is waiting for an answer')
        return true
      }
      const seen = new Map(waiting.map(({ clientId, lastMessage }) => [clientId, lastMessage.seq]))
      return change(
        waiting,
        ({ clientId }) => ({ settled: true, upTo: seen.get(clientId) }),
        (names) => `No answer needed: ${names}`,
      )
    },
    label: (conversations: Conversations, labelChange: LabelChange) =>
      change(
        conversations,
        ({ labels }) => ({ labels: changedLabels(labels, labelChange) }),
        (names) => `Labels saved: ${names}`,
      ),
  }
}

/** Returns the conversations whose change was not stored, in their state before the change. */
function notStored(changes: readonly { before: ConversationSummary }[], done: readonly Done[]) {
  const stored = new Set(done.map(({ before }) => before.clientId))
  return changes.flatMap(({ before }) => (stored.has(before.clientId) ? [] : [before]))
}

function namesOf(conversations: Conversations): string {
  const [only] = conversations
  return only && conversations.length === 1 ? visitorName(only) : `${conversations.length} conversations`
}

/** Returns the admin who made the newest change. Null if it was not an admin. */
async function lastChangeBy(clientId: string): Promise<string | null> {
  const { activity } = await callAsAdmin<ActivityPage>(
    `${adminPaths.conversationActivity(clientId)}?limit=20`,
  )
  return activity.findLast(({ kind }) => kind !== 'note')?.by ?? null
}
