import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AppError } from '@proctorpass/shared/errors'
import type { Activity, PostedNote, PostNote } from '@proctorpass/shared/schemas/inbox'
import type { AdminChat } from '../../../chat/engine/admin-chat.ts'
import { pendingClients } from '../../../chat/engine/admin-outbox.ts'
import { createOutbox, newNonce, type Outbox, type OutboxEntry } from '../../../chat/engine/outbox.ts'
import { createSender } from '../../../chat/engine/sender.ts'
import { createSignal } from '../../../chat/engine/signal.ts'
import type { Tab } from '../../../chat/engine/tab.ts'
import { callAsAdmin } from '../../../lib/session.ts'

/**
 * A note that the server has not acknowledged. Its state is `sending` or `refused`. `knownSeq` is the newest `n` when
 * it was typed.
 */
type NoteEntry = OutboxEntry & { assigneeId?: string }

export type PendingNote = Pick<OutboxEntry, 'nonce' | 'message' | 'typedAt' | 'state' | 'reason' | 'knownSeq'>

export type Notes = ReturnType<typeof createNotes>

/**
 * Sends the notes of all conversations, in typing order, until each is acknowledged or refused. They wait in the same
 * kind of outbox as replies, and survive a reload.
 */
export function createNotes(options: { tab: Tab; userId: string; chat: Pick<AdminChat, 'onResync'> }) {
  const { tab, chat } = options
  const owner = `notes:${options.userId}`
  const changed = createSignal()
  const stored = createSignal<Activity>()
  const outboxes = new Map<string, Outbox>()
  const lists = new Map<string, OutboxEntry[]>()
  let stopListening = () => {}

  function outboxOf(clientId: string): Outbox {
    const outbox = outboxes.get(clientId) ?? createOutbox(tab, owner, clientId)
    outboxes.set(clientId, outbox)
    return outbox
  }

  function pending(clientId: string): OutboxEntry[] {
    const list = lists.get(clientId) ?? outboxOf(clientId).list()
    lists.set(clientId, list)
    return list
  }

  function refresh() {
    lists.clear()
    changed.emit()
  }

  /** Returns the oldest note to send, and its conversation. */
  function next(): { clientId: string; entry: OutboxEntry } | undefined {
    const clientIds = new Set([...pendingClients(tab, owner), ...outboxes.keys()])
    return [...clientIds]
      .flatMap((clientId) =>
        outboxOf(clientId)
          .list()
          .map((entry) => ({ clientId, entry })),
      )
      .filter(({ entry }) => entry.state === 'sending')
      .sort((a, b) => a.entry.order - b.entry.order)[0]
  }

  const sender = createSender<{ clientId: string; entry: OutboxEntry }>({
    tab,
    lock: `outbox:${owner}`,
    next,
    async deliver({ clientId, entry }) {
      const outbox = outboxOf(clientId)
      try {
        const { nonce, message: text, assigneeId }: NoteEntry = entry
        const body: PostNote = { nonce, text, ...(assigneeId && { assigneeId }) }
        const { data } = await callAsAdmin<PostedNote>(adminPaths.conversationNotes(clientId), {
          method: 'POST',
          body,
        })
        outbox.remove(entry.nonce)
        stored.emit(data)
      } catch (error) {
        if (!(error instanceof AppError) || !isRefusal(error)) throw error
        outbox.replace({ ...entry, state: 'refused', reason: error.message })
      }
      refresh()
    },
    onFailure(failed, error) {
      if (failed === undefined || !(error instanceof AppError)) return
      outboxOf(failed.clientId).replace({ ...failed.entry, reason: error.message })
      refresh()
    },
  })

  const findRefused = (clientId: string, nonce: string) =>
    outboxOf(clientId)
      .list()
      .find((entry) => entry.nonce === nonce && entry.state === 'refused')

  return {
    /** Returns one conversation's notes, in typing order. It returns the same array until something changes. */
    pending: (clientId: string): readonly PendingNote[] => pending(clientId),
    subscribe: changed.on,
    onStored: stored.on,
    start(): void {
      const offResync = chat.onResync(() => sender.retryNow())
      // Another tab has written, sent, or discarded a note.
      const handleStorage = (event: Event) => {
        const { key } = event as StorageEvent
        if (key === null || key.startsWith(`outbox:${owner}:`)) refresh()
      }
      window.addEventListener('storage', handleStorage)
      stopListening = () => {
        offResync()
        window.removeEventListener('storage', handleStorage)
      }
      sender.run()
    },
    stop(): void {
      stopListening()
      sender.stop()
    },
    /** Adds a note, which may assign the conversation. `newestN` is the newest entry in the conversation's activity. */
    add(clientId: string, text: string, newestN: number, assigneeId?: string): void {
      const outbox = outboxOf(clientId)
      const entry: NoteEntry = outbox.add(text, { epoch: '', knownSeq: newestN })
      if (assigneeId !== undefined) outbox.replace(Object.assign(entry, { assigneeId }))
      refresh()
      sender.run()
    },
    /** Sends a refused note again. */
    retry(clientId: string, nonce: string): void {
      const entry = findRefused(clientId, nonce)
      if (!entry) return
      outboxOf(clientId).requeue({ ...entry, state: 'sending', reason: null }, newNonce())
      refresh()
      sender.run()
    },
    /** Removes a refused note. Only its writer decides this. */
    discard(clientId: string, nonce: string): void {
      if (findRefused(clientId, nonce)) outboxOf(clientId).remove(nonce)
      refresh()
    },
  }
}

/** Returns whether the refusal is final. If an admin's session has ended, the note is sent when they sign in again. */
function isRefusal({ code, retryable }: AppError): boolean {
  return !retryable && code !== 'forbidden' && code !== 'unauthorized'
}
