import { adminPaths } from '@proctorpass/shared/admin-paths'
import { UPDATES_MAX } from '@proctorpass/shared/limits'
import type { SeenMark, UpdateList } from '@proctorpass/shared/schemas/updates'
import type { AdminChat } from '../../../chat/engine/admin-chat.ts'
import { createSignal } from '../../../chat/engine/signal.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { isRefused } from '../../ui/query-client.ts'

/** Marks arrive in bursts while the admin reads. */
const GATHER_MS = 250
const RETRY_MS = 5_000

const existing = new WeakMap<AdminChat, SeenMarks>()

/**
 * Returns the marks of this chat's admin. They are not in the context, because every dashboard page loads the context's
 * code.
 */
export function seenMarksOf(chat: AdminChat): SeenMarks {
  const marks = existing.get(chat) ?? createSeenMarks(chat)
  existing.set(chat, marks)
  return marks
}

export type SeenMarks = ReturnType<typeof createSeenMarks>

/**
 * Holds what this admin has seen. It sends the marks to the server, which stores them for the admin's other tabs and
 * devices.
 */
function createSeenMarks(chat: AdminChat) {
  const known = new Map<string, SeenMark>()
  const waiting = new Set<string>()
  const moved = createSignal<SeenMark>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function advance(mark: SeenMark): boolean {
    const before = known.get(mark.clientId)
    const after = before?.epoch === mark.epoch ? further(before, mark) : mark
    if (before?.epoch === after.epoch && before.seq === after.seq && before.n === after.n) return false
    known.set(mark.clientId, after)
    moved.emit(after)
    return true
  }

  function sendSoon(wait: number): void {
    if (timer === undefined) timer = setTimeout(() => void send(), wait)
  }

  async function send(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    const sent = [...waiting].slice(0, UPDATES_MAX)
    const marks = sent.flatMap((clientId) => known.get(clientId) ?? [])
    if (marks.length === 0) return
    for (const clientId of sent) waiting.delete(clientId)
    try {
      await callAsAdmin(adminPaths.chatUpdatesSeen, { method: 'POST', body: { marks }, keepalive: true })
      if (waiting.size > 0) sendSoon(GATHER_MS)
    } catch (error) {
      if (isRefused(error)) return
      for (const clientId of sent) waiting.add(clientId)
      sendSoon(RETRY_MS)
    }
  }

  // The admin may leave the page before the marks are sent.
  addEventListener('pagehide', () => void send())
  chat.onSeen(advance)
  chat.onResync(() => {
    if (waiting.size > 0) sendSoon(GATHER_MS)
  })

  return {
    mark(mark: SeenMark): void {
      if (!advance(mark)) return
      waiting.add(mark.clientId)
      sendSoon(GATHER_MS)
    },
    /** Calls the listener with every mark that has moved, here or on another device. */
    onMoved: moved.on,
    /**
     * Returns the updates. An update also counts as seen if this tab's mark covers it, which the answer may not have
     * known.
     */
    applyTo: ({ updates }: UpdateList): UpdateList => ({
      updates: updates.map((update) => {
        const mark = known.get(update.clientId)
        const isSeen = mark?.epoch === update.epoch && update.seq <= mark.seq && update.n <= mark.n
        return isSeen ? { ...update, isSeen } : update
      }),
    }),
  }
}

function further(before: SeenMark, { seq, n }: SeenMark): SeenMark {
  return { ...before, seq: Math.max(before.seq, seq), n: Math.max(before.n, n) }
}
