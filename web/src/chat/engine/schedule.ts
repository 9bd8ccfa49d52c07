import { SYNC_INTERVAL_MS } from '@proctorpass/shared/limits'
import type { Transport } from '@proctorpass/shared/schemas/chat'
import { backoff, retryAfter } from './backoff.ts'
import type { ChatLink } from './link.ts'

const FAILED_PAUSE_MS = 1_000
const FAILED_CAP_MS = 10_000
/** How often the server is asked for the wanted transport while no conversation is polled. */
const PROBE_MS = 15_000

/** Syncs conversations when facts may have been missed, when polling begins, and on a timer. */
export function createSyncSchedule(
  link: ChatLink,
  pollMs: number,
  /** Asks the server for the wanted transport. */
  probe: () => Promise<Transport>,
) {
  const conversations = new Set<{
    /** Whether a view follows the conversation or it has something to send. */
    isActive(): boolean
    sync(): Promise<void>
  }>()
  let failures = 0
  let round = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const active = () => [...conversations].filter((conversation) => conversation.isActive())
  const isPolling = () => link.getState().via === 'polling'

  /** Syncs now and restarts the timer. */
  async function run() {
    if (!link.isStarted) return
    const current = ++round
    clearTimeout(timer)
    const syncs = active().map((conversation) => conversation.sync())
    if (syncs.length === 0 && isPolling()) syncs.push(askTransport())
    const results = await Promise.allSettled(syncs)
    if (current !== round) return
    const errors = results.filter((result) => result.status === 'rejected').map((result) => result.reason)
    failures = errors.length > 0 ? failures + 1 : 0
    const pause = pauseBeforeNext()
    if (pause === null) return
    const next = link.connectionId === null ? run : link.resync
    timer = setTimeout(next, Math.max(pause, ...errors.map(retryAfter)))
  }

  function pauseBeforeNext(): number | null {
    if (failures > 0) return Math.max(pollMs, backoff(failures, FAILED_PAUSE_MS, FAILED_CAP_MS))
    if (!link.isActive) return null
    if (link.connectionId !== null) return SYNC_INTERVAL_MS
    if (!isPolling()) return null
    return active().length > 0 ? pollMs : PROBE_MS
  }

  async function askTransport() {
    try {
      link.setTransport(await probe())
      link.reportSuccess()
    } catch (error) {
      link.reportFailure(error)
      throw error
    }
  }

  link.onResync(() => void run())
  link.onPolling(() => void run())
  link.onStop(() => {
    clearTimeout(timer)
    round++
    failures = 0
  })

  return {
    add: conversations.add.bind(conversations),
    run,
  }
}

export type SyncSchedule = ReturnType<typeof createSyncSchedule>
