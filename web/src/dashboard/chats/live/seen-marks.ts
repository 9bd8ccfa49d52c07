import { adminPaths } from '@proctorpass/shared/admin-paths'
import { UPDATES_MAX } from '@proctorpass/shared/limits'
import type { MovedMark, SeenMark, Unseen, UpdateList } from '@proctorpass/shared/schemas/updates'
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
  /** The conversations whose mark went back. Their messages are marked again when they are opened anew. */
  const leftUnread = new Set<string>()
  const moved = createSignal<MovedMark>()
  /** What this tab is sending. Marks reach the server in their order. */
  let sending: Promise<void> = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined

  function advance(mark: SeenMark): boolean {
    const before = known.get(mark.clientId)
    const after = before?.epoch === mark.epoch ? further(before, mark) : mark
    if (before?.epoch === after.epoch && before.seq === after.seq && before.n === after.n) return false
    known.set(mark.clientId, after)
    moved.emit(after)
    return true
  }

  function goBack(mark: SeenMark): void {
    leftUnread.add(mark.clientId)
    known.set(mark.clientId, mark)
    moved.emit({ ...mark, back: true })
  }

  function sendSoon(wait: number): void {
    if (timer === undefined) timer = setTimeout(() => void sendNow(), wait)
  }

  /** Sends at once what waits, because the page may be closing. */
  function sendNow(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    sending = Promise.all([sending, send()]).then(() => {})
    return sending
  }

  async function send(): Promise<void> {
    const sent = [...waiting].slice(0, UPDATES_MAX)
    const marks = sent.flatMap((clientId) => known.get(clientId) ?? [])
    if (marks.length === 0) return
    for (const clientId of sent) waiting.delete(clientId)
    try {
      await callAsAdmin(adminPaths.chatUpdatesSeen, { method: 'POST', body: { marks }, keepalive: true })
      // A list that was read in the meantime may lack them.
      for (const mark of marks) if (known.get(mark.clientId) === mark) moved.emit(mark)
      if (waiting.size > 0) sendSoon(GATHER_MS)
    } catch (error) {
      if (isRefused(error)) return
      for (const clientId of sent) waiting.add(clientId)
      sendSoon(RETRY_MS)
    }
  }

  // The admin may leave the page before the marks are sent.
  addEventListener('pagehide', () => void sendNow())
  chat.onSeen(({ back, ...mark }) => (back ? goBack(mark) : advance(mark)))
  chat.onResync(() => {
    if (waiting.size > 0) sendSoon(GATHER_MS)
  })

  return {
    mark(mark: SeenMark): void {
      if (!advance(leftUnread.has(mark.clientId) ? { ...mark, seq: 0 } : mark)) return
      waiting.add(mark.clientId)
      sendSoon(GATHER_MS)
    },
    /** The admin opens a conversation, whose messages are marked from now on. */
    opened: (clientId: string): void => void leftUnread.delete(clientId),
    /** Moves the mark back behind the visitor's newest message. Rejects if the visitor has not written. */
    async markUnread(clientId: string, epoch: string): Promise<void> {
      // A mark that arrives later would undo this.
      await sendNow()
      const { seen: seq } = await callAsAdmin<Unseen>(adminPaths.conversationUnseen(clientId), {
        method: 'POST',
      })
      goBack({ clientId, epoch, seq, n: known.get(clientId)?.n ?? 0 })
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
