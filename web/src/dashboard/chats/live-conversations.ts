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

/** Facts come in swarms: this long they are gathered before the list is read again. */
const GATHER_MS = 2_000
const READ_AGAIN_MAX_MS = 30_000
/** The further somebody has scrolled, the more there is to read and the longer it may wait. */
const WAIT_PER_PAGE_MS = 1_000

/** Keeps the loaded conversations level with the server: facts at once where they are certain, then by reading again. */
export interface LiveConversations {
  start(): void
  stop(): void
  /** How far down the list somebody looks; reading again goes that far. */
  setShownRows(rows: number): void
  readAgain(): void
}

export function createLiveConversations(
  queryClient: QueryClient,
  chat: AdminChat,
  pollMs: number,
): LiveConversations {
  let shownRows = 0
  let running = false
  let reading = false
  let readOnceMore = false
  let heardWhileHidden = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let cleanUps: (() => void)[] = []

  const loaded = () => queryClient.getQueryData(queryKey)
  const patch = (change: (data: LoadedConversations) => LoadedConversations) =>
    queryClient.setQueryData(queryKey, (data) => data && change(data))

  async function readAgain(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    heardWhileHidden = false
    if (reading) {
      readOnceMore = true
      return
    }
    reading = true
    patch((data) => firstPages(data, shownRows))
    await queryClient.refetchQueries({ queryKey, type: 'active' })
    reading = false
    if (readOnceMore && running) readSoon(GATHER_MS)
    readOnceMore = false
  }

  function readSoon(least: number): void {
    if (document.hidden) {
      heardWhileHidden = true
      return
    }
    const pages = loaded()?.pages.length ?? 1
    const wait = Math.max(least, WAIT_PER_PAGE_MS * (pages - 1))
    timer ??= setTimeout(
      () => {
        timer = undefined
        if (!isRefused(queryClient.getQueryState(queryKey)?.error)) void readAgain()
      },
      Math.min(wait, READ_AGAIN_MAX_MS),
    )
  }

  return {
    start() {
      running = true
      const poll = setInterval(() => {
        if (chat.link.getState().via === 'polling') readSoon(0)
      }, pollMs)
      cleanUps = [
        () => clearInterval(poll),
        chat.onMessage((message) => {
          patch((data) => withMessage(data, message))
          readSoon(GATHER_MS)
        }),
        chat.onUnread((fact) => {
          patch((data) => withUnread(data, fact))
          readSoon(GATHER_MS)
        }),
        chat.onResync(() => void readAgain()),
        focusManager.subscribe((focused) => {
          const updatedAt = queryClient.getQueryState(queryKey)?.dataUpdatedAt ?? 0
          if (!focused) return
          if (heardWhileHidden || Date.now() - updatedAt > FRESH_ON_FOCUS_MS) void readAgain()
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
    readAgain: () => void readAgain(),
  }
}
