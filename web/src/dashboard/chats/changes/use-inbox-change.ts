import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AppError } from '@proctorpass/shared/errors'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { ActivityPage, ConversationChange } from '@proctorpass/shared/schemas/inbox'
import { useQueryClient } from '@tanstack/react-query'
import { toast } from '../../../components/toast.ts'
import { errorMessage } from '../../../lib/error-message.ts'
import { serverNow } from '../../../lib/server-clock.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { adminName, useTeam } from '../../ui/team.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { fetchSummary, labelsQuery, summaryQuery } from '../live/summaries.ts'
import { visitorName } from '../live/visitor-name.tsx'
import { changedLabels, type LabelChange, reverse, withChange } from './inbox-changes.ts'
import { type Done, sendChanges, takeBack } from './send-changes.ts'
import { snoozeTime } from './snooze-times.ts'

/** Notices of changes replace each other. */
const NOTICE = 'inbox-change'

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

  function notify(kind: 'success' | 'warning', text: string, onUndo?: () => void): void {
    undo.endNotice = endNotice
    toast[kind](text, { id: NOTICE, ...(onUndo && { action: { label: 'Undo', onClick: onUndo } }) })
  }

  /** `wordsOf`: the notice about conversations that are named by `what`. */
  async function change(
    given: Conversations,
    changeOf: (conversation: ConversationSummary) => ConversationChange,
    wordsOf: (what: string) => string,
  ): Promise<boolean> {
    const wanted = given.map((shown) => {
      const before = live.find(shown.clientId) ?? shown
      return { before, change: changeOf(before) }
    })
    const resume = live.pause()
    live.apply(wanted.map(({ before, change }) => withChange(before, change)))
    const sending = sendChanges(wanted)
    const before = undo.current
    // Also before the answer: then it waits for it.
    const takeBackAll = async () => {
      undo.current = null
      const { done } = await sending
      if (done.length > 0) await undoAll(done, noticeOf(done.map((each) => each.before)))
      else toast.info('Nothing to undo')
    }
    const noticeOf = (changed: Conversations) => wordsOf(namesOf(changed))
    undo.current = takeBackAll
    const sent = await sending
    const isTakenBack = undo.current === null
    if (undo.current === takeBackAll && sent.done.length === 0) undo.current = before
    const stored = new Set(sent.done.map(({ before }) => before.clientId))
    if (sent.error !== null) {
      live.apply(wanted.flatMap(({ before }) => (stored.has(before.clientId) ? [] : [before])))
    }
    live.apply(sent.stored)
    resume()
    if (wanted.some(({ change: { labels } }) => labels)) void queryClient.invalidateQueries(labelsQuery)

    if (sent.error !== null) toast.error(await reason(sent.error, given))
    const all = sent.error === null ? given.slice(0, given.length - sent.missing) : []
    const changed = sent.error === null ? all : sent.done.map(({ before }) => before)
    if (changed.length > 0 && !isTakenBack) {
      notify('success', noticeOf(changed), sent.done.length > 0 ? takeBackAll : undefined)
    }
    return sent.error === null
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
    else if (restored.length === 0) notify('warning', 'Not undone: another admin has changed it since')
    else notify('warning', `Undone, except ${changedSince} that another admin has changed since`)
  }

  /** After a conflict, a message names the admin who was first, and the change is shown. */
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
        (what) =>
          assigneeId === null
            ? `Unassigned ${what}`
            : `Assigned ${what} to ${assigneeId === userId ? 'you' : adminName(team, assigneeId, userId)}`,
      ),
    resolve: (conversations) =>
      change(
        conversations,
        () => ({ status: 'resolved' }),
        (what) => `Resolved ${what}`,
      ),
    reopen: (conversations) =>
      change(
        conversations,
        () => ({ status: 'open' }),
        (what) => `Reopened ${what}`,
      ),
    snooze: (conversations, until) =>
      change(
        conversations,
        () => ({ status: 'snoozed', snoozedUntil: until }),
        (what) => `Snoozed ${what} until ${snoozeTime(until, serverNow())}`,
      ),
    label: (conversations, { added, removed }) =>
      change(
        conversations,
        ({ labels }) => ({ labels: changedLabels(labels, { added, removed }) }),
        (what) => `Labels saved: ${what}`,
      ),
  }
}

/** It was shown: its code is loaded. */
async function endNotice(): Promise<void> {
  const { endToast } = await import('../../../components/toaster.tsx')
  endToast(NOTICE)
}

function namesOf(conversations: Conversations): string {
  const [only] = conversations
  return only && conversations.length === 1 ? visitorName(only) : `${conversations.length} conversations`
}

/** The admin of the newest change; null when it was not an admin. */
async function lastChangeBy(clientId: string): Promise<string | null> {
  const { activity } = await callAsAdmin<ActivityPage>(
    `${adminPaths.conversationActivity(clientId)}?limit=20`,
  )
  return activity.findLast(({ kind }) => kind !== 'note')?.by ?? null
}
