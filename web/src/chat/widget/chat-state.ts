import { paths } from '@proctorpass/shared/paths'
import type { ChatState, LiveConfig } from '@proctorpass/shared/schemas/config'
import { useEffect } from 'react'
import { create } from 'zustand'
import { callApi } from '../../lib/api.ts'
import { listen } from '../../lib/listen.ts'
import { serverNow } from '../../lib/server-clock.ts'

const STALE_MS = 3 * 60_000
const SOONEST_MS = 10_000
/** The time within which the server must answer, because a first message may wait for the answer. */
const TIMEOUT_MS = 3_000
/** The panel waits this long for the first answer, so that its greeting does not change while it is read. */
const FIRST_WAIT_MS = 600

/** The chat's state, and the part that shows the team once anyone is to be shown. */
type ShownState = ChatState & Partial<typeof import('./team.tsx')>

/** What the settings and the time say about the chat. Null until the server has answered. */
export const useChatState = create<ShownState | null>(() => null)

let newestRequest = 0
/** The number of the request whose answer is shown. */
let answered = 0

/**
 * Reads the state. A failure changes nothing, and neither does the answer to an older request than the one that is
 * shown.
 */
export async function refreshChatState(): Promise<void> {
  const request = ++newestRequest
  try {
    const { chat } = await callApi<LiveConfig>(paths.config, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    if (typeof chat.open !== 'boolean' || request < answered) return
    answered = request
    useChatState.setState(chat)
    if (chat.team?.[0]) useChatState.setState(await import('./team.tsx'))
  } catch {}
}

export function firstChatState(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, FIRST_WAIT_MS)
    void refreshChatState().then(resolve)
  })
}

/**
 * Keeps the state fresh while the panel is open: reads it again after a while, at `opensAt`, on return, and soon after
 * a failure.
 */
export function useFreshChatState(): ShownState | null {
  const state = useChatState()
  useEffect(() => {
    // Without a time, and after it, this is not above zero.
    const untilOpen = Date.parse(state?.opensAt ?? '') - serverNow()
    const pause = Math.min(untilOpen > 0 ? untilOpen + 1_000 : STALE_MS, state ? STALE_MS : 0)
    const timer = setInterval(refreshChatState, Math.max(pause, SOONEST_MS))
    return () => clearInterval(timer)
  }, [state])
  useEffect(() => {
    const wake = () => document.visibilityState === 'visible' && void refreshChatState()
    return listen(window, ['visibilitychange', 'online'], wake, { capture: true })
  }, [])
  return state
}
