import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { AppError } from '@proctorpass/shared/errors'
import { PAGE_LIMIT_MAX } from '@proctorpass/shared/limits'
import type { Activity, ActivityPage, ActivityQuery } from '@proctorpass/shared/schemas/inbox'
import type { AdminChat } from '../../../chat/engine/admin-chat.ts'
import { backoff, retryAfter } from '../../../chat/engine/backoff.ts'
import { createSignal } from '../../../chat/engine/signal.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { isRefused } from '../../ui/query-client.ts'

const FAILED_PAUSE_MS = 1_000
const FAILED_CAP_MS = 10_000

interface ActivityState {
  /** False until the newest page has been read. */
  loaded: boolean
  /** Each entry once, ordered by `n`, without gaps. */
  entries: readonly Activity[]
  /** Whether entries exist before the first one. */
  hasOlder: boolean
  /** Why the entries cannot be read, worded for people. Null while retries may succeed. */
  refusal: string | null
}

/** One conversation's notes and changes, which are kept in sync both by push and by polling. */
export interface ActivityLog {
  start(): void
  stop(): void
  getState(): ActivityState
  subscribe(listener: () => void): () => void
  /** Adds a stored entry. */
  add(entry: Activity): void
  /** Reads older entries until every entry after the messages from `seq` on is known. */
  reachBack(seq: number): void
  /** Forgets the entries and reads again, because the conversation was erased. */
  reset(): void
}

const NOTHING: ActivityState = { loaded: false, entries: [], hasOlder: false, refusal: null }

export function createActivityLog(
  clientId: string,
  chat: Pick<AdminChat, 'link' | 'onActivity' | 'onResync'>,
  pollMs: number,
): ActivityLog {
  const changed = createSignal()
  let state = NOTHING
  /** The oldest seq whose messages' entries are wanted. */
  let wantedSeq = Number.POSITIVE_INFINITY
  /** Changes with each reset. Pages that were requested before a reset are dropped. */
  let history = 0
  let started = false
  let reading = false
  let readAgain = false
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let cleanUps: (() => void)[] = []

  const isPolling = () => chat.link.getState().via === 'polling'
  const newestN = () => state.entries.at(-1)?.n ?? 0

  function update(change: Partial<ActivityState>) {
    state = { ...state, ...change }
    changed.emit()
  }

  /** Reads the missing entries. A call during another read runs after that read. */
  async function read() {
    if (!started) return
    if (reading) {
      readAgain = true
      return
    }
    reading = true
    clearTimeout(timer)
    timer = undefined
    let pause = 0
    try {
      do {
        readAgain = false
        await readNewer()
        await readOlder()
      } while (readAgain && started)
      failures = 0
      if (state.refusal !== null) update({ refusal: null })
    } catch (error) {
      failures += 1
      if (isRefused(error)) update({ refusal: (error as AppError).message })
      pause = Math.max(backoff(failures, FAILED_PAUSE_MS, FAILED_CAP_MS), retryAfter(error))
    }
    reading = false
    if (!started || state.refusal !== null) return
    if (isPolling()) pause = Math.max(pause, pollMs)
    if (pause > 0) timer = setTimeout(() => void read(), pause)
  }

  async function readNewer() {
    for (;;) {
      const known = newestN()
      const ofHistory = history
      const page = await get(state.loaded ? { after: known } : {})
      if (ofHistory !== history) continue
      if (page.n < known) {
        // The conversation has been erased since.
        forget()
        continue
      }
      if (!state.loaded) {
        update({ loaded: true, entries: page.activity, hasOlder: page.more })
        return
      }
      const fresh = page.activity.filter(({ n }) => n > newestN())
      if (fresh.length > 0) update({ entries: [...state.entries, ...fresh] })
      if (!page.more || page.activity.length === 0) return
    }
  }

  async function readOlder() {
    for (;;) {
      const first = state.entries[0]
      if (!first || !state.hasOlder || first.afterSeq < wantedSeq) return
      const ofHistory = history
      const page = await get({ before: first.n })
      if (ofHistory !== history) return
      update({
        entries: [...page.activity, ...state.entries],
        hasOlder: page.more && page.activity.length > 0,
      })
    }
  }

  function get(query: ActivityQuery): Promise<ActivityPage> {
    const params = new URLSearchParams({ limit: String(PAGE_LIMIT_MAX) })
    for (const [name, value] of Object.entries(query)) params.set(name, String(value))
    return callAsAdmin<ActivityPage>(`${adminPaths.conversationActivity(clientId)}?${params}`)
  }

  function add(entry: Activity) {
    const expected = newestN() + 1
    if (state.loaded && entry.n === expected) update({ entries: [...state.entries, entry] })
    // Before the first page and after a gap, only the server knows the other entries.
    else if (!state.loaded || entry.n > expected) void read()
  }

  function forget() {
    history += 1
    update(NOTHING)
  }

  return {
    getState: () => state,
    subscribe: changed.on,
    add,
    start() {
      if (started) return
      started = true
      cleanUps = [
        chat.onActivity((entry) => {
          if (entry.clientId === clientId) add(entry)
        }),
        chat.onResync(() => void read()),
        chat.link.subscribe(() => {
          if (isPolling() && timer === undefined) void read()
        }),
      ]
      void read()
    },
    stop() {
      started = false
      clearTimeout(timer)
      timer = undefined
      for (const cleanUp of cleanUps.splice(0)) cleanUp()
    },
    reachBack(seq) {
      if (seq >= wantedSeq) return
      wantedSeq = seq
      if (state.loaded) void read()
    },
    reset() {
      forget()
      void read()
    },
  }
}
