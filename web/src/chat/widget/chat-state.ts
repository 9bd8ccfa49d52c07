import { paths } from '@proctorpass/shared/paths'
import type { ChatState, LiveConfig } from '@proctorpass/shared/schemas/config'
import { useEffect } from 'react'
import { create } from 'zustand'
import { callApi } from '../../lib/api.ts'
import { serverNow } from '../../lib/server-clock.ts'

const STALE_MS = 3 * 60_000
const SOONEST_MS = 10_000
/** The panel waits this long for the first answer, so that its greeting does not change while it is read. */
const FIRST_WAIT_MS = 600

/** What the settings and the time say about the chat; null until the server has said it. */
const useChatState = create<ChatState | null>(() => null)

/** A failure changes nothing. */
async function refresh(): Promise<void> {
  try {
    const { chat } = await callApi<LiveConfig>(paths.config)
    if (typeof chat.open === 'boolean') useChatState.setState(chat, true)
  } catch {}
}

export function firstChatState(): Promise<void> {
  return Promise.race([refresh(), new Promise<void>((resolve) => setTimeout(resolve, FIRST_WAIT_MS))])
}

/** Keeps the state fresh while the panel is open: it is read again after a while, at `opensAt`, and on return. */
export function useFreshChatState(): ChatState | null {
  const state = useChatState()
  useEffect(() => {
    const untilOpen = Date.parse(state?.opensAt ?? '') - serverNow()
    const pause = untilOpen > 0 ? Math.min(untilOpen + 1_000, STALE_MS) : STALE_MS
    const timer = setInterval(refresh, Math.max(pause, SOONEST_MS))
    return () => clearInterval(timer)
  }, [state])
  useEffect(() => {
    const wake = () => document.visibilityState === 'visible' && void refresh()
    document.addEventListener('visibilitychange', wake)
    return () => document.removeEventListener('visibilitychange', wake)
  }, [])
  return state
}
