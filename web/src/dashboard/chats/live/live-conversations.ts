import { labelKey } from '@proctorpass/shared/label-key'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { focusManager, type QueryClient } from '@tanstack/react-query'
import type { AdminChat } from '../../../chat/engine/admin-chat.ts'
import { labelsQuery } from '../../ui/labels.ts'
import { FRESH_ON_FOCUS_MS, isRefused } from '../../ui/query-client.ts'
import {
  afterEdit,
  afterMessage,
  CONVERSATIONS,
  firstPages,
  type LoadedConversations,
} from './conversations.ts'
import { applySummaries, countsQuery, findSummary, removeConversation } from './summaries.ts'

/** Facts arrive in bursts. They are gathered for this long before a refetch. */
const GATHER_MS = 2_000
/** The counts cost little, and have no facts. */
const GATHER_COUNTS_MS = 300
const REFETCH_WAIT_MAX_MS = 30_000
/** Each loaded page makes a refetch larger, so refetches become rarer. */
const WAIT_PER_PAGE_MS = 1_000

export type LiveConversations = ReturnType<typeof createLiveConversations>

/** Keeps the loaded lists and the counts in sync. It applies facts at once if they suffice, and then refetches. */
export function createLiveConversations(options: {
  queryClient: QueryClient
  chat: AdminChat
  userId: string
  pollMs: number
}) {
  const { queryClient, chat, userId, pollMs } = options
  let shownRows = 0
  let running = false
  let refetching = false
  let refetchPending = false
  let changedWhileHidden = false
  let pauses = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let countsTimer: ReturnType<typeof setTimeout> | undefined
  let cleanUps: (() => void)[] = []

  const shownLists = () => queryClient.getQueryCache().findAll({ queryKey: CONVERSATIONS, type: 'active' })
  const apply = (summaries: readonly ConversationSummary[]) => applySummaries(queryClient, userId, summaries)
  const known = (clientId: string) => findSummary(queryClient, clientId)

  async function refetch(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    changedWhileHidden = false
    if (refetching || pauses > 0) {
      refetchPending = true
      return
    }
    refetching = true
    for (const { queryKey } of shownLists()) {
      queryClient.setQueryData<LoadedConversations>(queryKey, (data) => data && firstPages(data, shownRows))
    }
    await Promise.all([
      queryClient.refetchQueries({ queryKey: CONVERSATIONS, type: 'active' }),
      queryClient.refetchQueries({ ...countsQuery, type: 'active' }),
    ])
    refetching = false
    for (const { state } of shownLists()) {
      const data = state.data as LoadedConversations | undefined
      refetchLabelsFor(data?.pages.flatMap(({ conversations }) => conversations) ?? [])
    }
    if (refetchPending && running) refetchSoon(GATHER_MS)
    refetchPending = false
  }

  function refetchSoon(minWait: number): void {
    if (document.hidden) {
      changedWhileHidden = true
      return
    }
    const pages = shownLists().map(
      ({ state }) => (state.data as LoadedConversations | undefined)?.pages.length,
    )
    const wait = Math.max(minWait, WAIT_PER_PAGE_MS * (Math.max(1, ...pages.map((count) => count ?? 1)) - 1))
    timer ??= setTimeout(
      () => {
        timer = undefined
        if (!shownLists().some(({ state }) => isRefused(state.error))) void refetch()
      },
      Math.min(wait, REFETCH_WAIT_MAX_MS),
    )
  }

  function refetchCountsSoon(): void {
    if (document.hidden) return
    countsTimer ??= setTimeout(() => {
      countsTimer = undefined
      void queryClient.refetchQueries({ ...countsQuery, type: 'active' })
    }, GATHER_COUNTS_MS)
  }

  /** A label that is not known yet is new. */
  function refetchLabelsFor(summaries: readonly ConversationSummary[]): void {
    const used = queryClient.getQueryData(labelsQuery.queryKey)
    if (used === undefined) return
    const known = new Set(used.labels.map(labelKey))
    if (summaries.some(({ labels }) => labels.some((label) => !known.has(labelKey(label))))) {
      void queryClient.invalidateQueries(labelsQuery)
    }
  }

  return {
    start(): void {
      running = true
      const poll = setInterval(() => {
        if (chat.link.getState().via === 'polling') refetchSoon(0)
      }, pollMs)
      cleanUps = [
        () => clearInterval(poll),
        chat.onMessage((message) => {
          const before = known(message.clientId)
          const after = afterMessage(before, message)
          if (after) apply([after])
          if (!before) refetchCountsSoon()
          refetchSoon(GATHER_MS)
        }),
        chat.onEdited((message) => {
          const before = known(message.clientId)
          const after = before && afterEdit(before, message)
          if (after) apply([after])
        }),
        chat.onUnread(({ clientId, adminUnread }) => {
          const before = known(clientId)
          if (before && before.adminUnread !== adminUnread) apply([{ ...before, adminUnread }])
          refetchSoon(GATHER_MS)
        }),
        chat.onChanged((summary) => {
          apply([summary])
          refetchLabelsFor([summary])
          refetchCountsSoon()
          refetchSoon(GATHER_MS)
        }),
        chat.onErased((clientId) => {
          removeConversation(queryClient, clientId)
          refetchCountsSoon()
          refetchSoon(GATHER_MS)
        }),
        chat.onResync(() => void refetch()),
        focusManager.subscribe((focused) => {
          const updatedAt = Math.max(0, ...shownLists().map(({ state }) => state.dataUpdatedAt))
          if (!focused) return
          if (changedWhileHidden || Date.now() - updatedAt > FRESH_ON_FOCUS_MS) void refetch()
        }),
      ]
    },
    stop(): void {
      running = false
      clearTimeout(timer)
      clearTimeout(countsTimer)
      timer = undefined
      countsTimer = undefined
      for (const cleanUp of cleanUps.splice(0)) cleanUp()
    },
    /** Sets the number of rows down to the last visible one. A refetch covers these rows. */
    setShownRows(rows: number): void {
      shownRows = rows
    },
    refetch: (): void => void refetch(),
    /** Applies conversations' summaries to every list. */
    apply,
    find: known,
    /** Stops refetching until the returned function is called, because answers from before a change would revert it. */
    pause(): () => void {
      pauses += 1
      // The running queries' answers may be older than the change.
      void queryClient.cancelQueries({ queryKey: CONVERSATIONS })
      return () => {
        pauses -= 1
        if (pauses > 0) return
        refetchPending = false
        if (running) void refetch()
      }
    },
  }
}
