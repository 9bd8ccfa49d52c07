import { focusManager, type QueryClient } from '@tanstack/react-query'
import type { AdminChat } from '../../chat/engine/chat.ts'
import { FRESH_ON_FOCUS_MS, isRefused } from '../ui/query-client.ts'
import {
  conversationsQuery,
  firstPages,
  type LoadedConversations,
  withMessage,
  withUnread,
} from './conversations.ts'

const { queryKey } = conversationsQuery

/** Facts come in bursts: they are gathered this long before a refetch. */
const GATHER_MS = 2_000
const REFETCH_WAIT_MAX_MS = 30_000
/** Each loaded page makes a refetch larger, and so rarer. */
const WAIT_PER_PAGE_MS = 1_000

/** Keeps the loaded conversations in sync: applies facts at once where they suffice, then refetches. */
export interface LiveConversations {
  start(): void
  stop(): void
  /** The number of rows down to the last visible one: a refetch covers these. */
  setShownRows(rows: number): void
  refetch(): void
}

export function createLiveConversations(
  queryClient: QueryClient,
  chat: AdminChat,
  pollMs: number,
): LiveConversations {
  let shownRows = 0
  let running = false
  let refetching = false
  let refetchPending = false
  let changedWhileHidden = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let cleanUps: (() => void)[] = []

  const patch = (change: (data: LoadedConversations) => LoadedConversations) =>
    queryClient.setQueryData(queryKey, (data) => data && change(data))

  async function refetch(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    changedWhileHidden = false
    if (refetching) {
      refetchPending = true
      return
    }
    refetching = true
    patch((data) => firstPages(data, shownRows))
    await queryClient.refetchQueries({ queryKey, type: 'active' })
    refetching = false
    if (refetchPending && running) refetchSoon(GATHER_MS)
    refetchPending = false
  }

  function refetchSoon(minWait: number): void {
    if (document.hidden) {
      changedWhileHidden = true
      return
    }
    const pages = queryClient.getQueryData(queryKey)?.pages.length ?? 1
    const wait = Math.max(minWait, WAIT_PER_PAGE_MS * (pages - 1))
    timer ??= setTimeout(
      () => {
        timer = undefined
        if (!isRefused(queryClient.getQueryState(queryKey)?.error)) void refetch()
      },
      Math.min(wait, REFETCH_WAIT_MAX_MS),
    )
  }

  return {
    start() {
      running = true
      const poll = setInterval(() => {
        if (chat.link.getState().via === 'polling') refetchSoon(0)
      }, pollMs)
      cleanUps = [
        () => clearInterval(poll),
        chat.onMessage((message) => {
          patch((data) => withMessage(data, message))
          refetchSoon(GATHER_MS)
        }),
        chat.onUnread((fact) => {
          patch((data) => withUnread(data, fact))
          refetchSoon(GATHER_MS)
        }),
        chat.onResync(() => void refetch()),
        focusManager.subscribe((focused) => {
          const updatedAt = queryClient.getQueryState(queryKey)?.dataUpdatedAt ?? 0
          if (!focused) return
          if (changedWhileHidden || Date.now() - updatedAt > FRESH_ON_FOCUS_MS) void refetch()
        }),
      ]
    },
    stop() {
      running = false
      clearTimeout(timer)
      timer = undefined
      for (const cleanUp of cleanUps.splice(0)) cleanUp()
    },
    setShownRows(rows) {
      shownRows = rows
    },
    refetch: () => void refetch(),
  }
}
