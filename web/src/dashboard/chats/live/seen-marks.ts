import { adminPaths } from '@proctorpass/shared/admin-paths'
import { UPDATES_MAX } from '@proctorpass/shared/limits'
import type { SeenMark, UpdateList } from '@proctorpass/shared/schemas/updates'
import type { AdminChat } from '../../../chat/engine/admin-chat.ts'
import { createSignal } from '../../../chat/engine/signal.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { isRefused } from '../../ui/query-client.ts'

/** Marks come in bursts while messages are read. */
const GATHER_MS = 250
const RETRY_MS = 5_000

const existing = new WeakMap<AdminChat, SeenMarks>()

/** The marks of this chat's admin. They are not in the context, because every page of the dashboard loads its code. */
export function seenMarksOf(chat: AdminChat): SeenMarks {
  const marks = existing.get(chat) ?? createSeenMarks(chat)
  existing.set(chat, marks)
  return marks
}

export type SeenMarks = ReturnType<typeof createSeenMarks>

/** What this admin has seen. It is sent to the server, which keeps it for their other tabs and devices. */
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

  // The page may be left before the marks are sent.
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
    /** Calls the listener with every mark that moved, here or on another device. */
    onMoved: moved.on,
    /** The updates, of which those also count as seen whose marks the answer did not know. */
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
