import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AppError } from '@proctorpass/shared/errors'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { ActivityPage, ConversationChange } from '@proctorpass/shared/schemas/inbox'
import { useQueryClient } from '@tanstack/react-query'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { adminName, useTeam } from '../ui/team.ts'
import { useAdminChat } from './admin-chat.tsx'
import { changedLabels, type LabelChange, reverse, withChange } from './inbox-changes.ts'
import { type Done, sendChanges, takeBack } from './send-changes.ts'
import { snoozeTime } from './snooze-times.ts'
import { fetchSummary, labelsQuery, summaryQuery } from './summaries.ts'

type Conversations = readonly ConversationSummary[]

/**
 * Changes one or several conversations: on the screen at once, then on the server. A notice names the result and offers
 * Undo. Resolves to whether all of it was stored.
 */
export interface InboxActions {
  /** Null: to no admin. */
  assign(conversations: Conversations, assigneeId: string | null): Promise<boolean>
  resolve(conversations: Conversations): Promise<boolean>
  reopen(conversations: Conversations): Promise<boolean>
  /** Until an ISO time. */
  snooze(conversations: Conversations, until: string): Promise<boolean>
  label(conversations: Conversations, change: LabelChange): Promise<boolean>
}

export function useInboxChange(): InboxActions {
  const queryClient = useQueryClient()
  const { conversations: live, userId, undo } = useAdminChat()
  const team = useTeam()

  async function change(
    given: Conversations,
    changeOf: (conversation: ConversationSummary) => ConversationChange,
    done: string,
  ): Promise<boolean> {
    const wanted = given.map((shown) => {
      const before = live.find(shown.clientId) ?? shown
      return { before, change: changeOf(before) }
    })
    const resume = live.pause()
    live.apply(wanted.map(({ before, change }) => withChange(before, change)))
    const sent = await sendChanges(wanted)
    const stored = new Set(sent.done.map(({ before }) => before.clientId))
    if (sent.error !== null) {
      live.apply(wanted.flatMap(({ before }) => (stored.has(before.clientId) ? [] : [before])))
    }
    live.apply(sent.stored)
    resume()
    if (wanted.some(({ change: { labels } }) => labels)) void queryClient.invalidateQueries(labelsQuery)

    if (sent.error !== null) toast.error(await reason(sent.error, given))
    const count = sent.error === null ? wanted.length - sent.missing : sent.done.length
    if (count > 0) {
      const notice = given.length === 1 ? done : `${done}: ${count} conversations`
      const takeBackAll = () => undoAll(sent.done)
      undo.current = sent.done.length > 0 ? takeBackAll : null
      toast.success(notice, undo.current ? { action: { label: 'Undo', onClick: takeBackAll } } : {})
    }
    return sent.error === null
  }

  async function undoAll(done: readonly Done[]): Promise<void> {
    undo.current = null
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
    else if (changedSince === 0) toast.success('Undone')
    else if (restored.length === 0) toast.warning('Not undone: another admin has changed it since')
    else toast.warning(`Undone, except ${changedSince} that another admin has changed since`)
  }

  /** A conflict says who was first, and shows what they did. */
  async function reason(error: unknown, [first]: Conversations): Promise<string> {
    if (!(error instanceof AppError) || error.code !== 'conflict' || !first) return errorMessage(error)
    try {
      const { clientId } = first
      const [summary, by] = await Promise.all([fetchSummary(clientId), lastChangeBy(clientId)])
      live.apply([summary])
      if (by !== null) return `Not saved: ${adminName(team, by, userId)} changed this conversation first`
    } catch {
      // The names are missing: the words below still hold.
    }
    return 'Not saved: this conversation has just changed'
  }

  return {
    assign: (conversations, assigneeId) =>
      change(
        conversations,
        () => ({ assigneeId }),
        assigneeId === null
          ? 'Unassigned'
          : `Assigned to ${assigneeId === userId ? 'you' : adminName(team, assigneeId, userId)}`,
      ),
    resolve: (conversations) => change(conversations, () => ({ status: 'resolved' }), 'Resolved'),
    reopen: (conversations) => change(conversations, () => ({ status: 'open' }), 'Reopened'),
    snooze: (conversations, until) =>
      change(
        conversations,
        () => ({ status: 'snoozed', snoozedUntil: until }),
        `Snoozed until ${snoozeTime(until, serverNow())}`,
      ),
    label: (conversations, { added, removed }) =>
      change(
        conversations,
        ({ labels }) => ({ labels: changedLabels(labels, { added, removed }) }),
        'Labels saved',
      ),
  }
}

/** The admin of the newest change; null when it was not an admin. */
async function lastChangeBy(clientId: string): Promise<string | null> {
  const { activity } = await callAsAdmin<ActivityPage>(
    `${adminPaths.conversationActivity(clientId)}?limit=20`,
  )
  return activity.findLast(({ kind }) => kind !== 'note')?.by ?? null
}
