import { focusManager, type QueryClient } from '@tanstack/react-query'
import type { AdminChat } from '../chat/engine.ts'
import {
  conversationsQuery,
  firstPages,
  type LoadedConversations,
  withMessage,
  withUnread,
} from './conversations.ts'

const { queryKey } = conversationsQuery

const READ_AGAIN_MS = 1_000
const READ_AGAIN_MAX_MS = 30_000
const FRESH_ON_FOCUS_MS = 20_000

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
  let reading = false
  let readOnceMore = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let cleanUps: (() => void)[] = []

  const loaded = () => queryClient.getQueryData(queryKey)
  const patch = (change: (data: LoadedConversations) => LoadedConversations) =>
    queryClient.setQueryData(queryKey, (data) => data && change(data))

  async function readAgain(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (reading) {
      readOnceMore = true
      return
    }
    reading = true
    patch((data) => firstPages(data, shownRows))
    await queryClient.refetchQueries({ queryKey, type: 'active' })
    reading = false
    if (readOnceMore) {
      readOnceMore = false
      readSoon()
    }
  }

  /** The further somebody has scrolled, the more there is to read and the longer it may wait. */
  function readSoon(): void {
    const pages = loaded()?.pages.length ?? 1
    timer ??= setTimeout(readAgain, Math.min(READ_AGAIN_MS * pages, READ_AGAIN_MAX_MS))
  }

  return {
    start() {
      const poll = setInterval(() => {
        if (chat.link.getState().via === 'polling' && !document.hidden) readSoon()
      }, pollMs)
      cleanUps = [
        () => clearInterval(poll),
        chat.onMessage((message) => {
          patch((data) => withMessage(data, message))
          readSoon()
        }),
        chat.onUnread((fact) => {
          patch((data) => withUnread(data, fact))
          readSoon()
        }),
        chat.onResync(() => void readAgain()),
        focusManager.subscribe((focused) => {
          const updatedAt = queryClient.getQueryState(queryKey)?.dataUpdatedAt ?? 0
          if (focused && Date.now() - updatedAt > FRESH_ON_FOCUS_MS) void readAgain()
        }),
      ]
    },
    stop() {
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
