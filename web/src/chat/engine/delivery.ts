import { AppError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { withoutEmptyEnds } from '@proctorpass/shared/fields/text'
import { GAP_WAIT_MS } from '@proctorpass/shared/limits'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import type { AttachmentUploads, ConversationAttachments, PendingAttachment } from './attachments.ts'
import type { ChatLink } from './link.ts'
import { createOutbox, newNonce, type Outbox, type OutboxEntry, outboxPrefix } from './outbox.ts'
import type { ConversationRequests } from './requests.ts'
import { createSender } from './sender.ts'
import type { ConversationSync } from './sync.ts'
import type { Tab } from './tab.ts'
import type { Timeline } from './timeline.ts'
import type { Party } from './types.ts'

type LeaveOptions = { requests: ConversationRequests; sync: Pick<ConversationSync, 'timeline'> }

/**
 * Returns why a reply is not sent, or null. `mayOvertake` says that the reply was typed in this tab, while connected.
 * Visitors have no guard: their messages are always sent.
 */
export type Guard = (
  reply: OutboxEntry,
  known: { timeline: Timeline; senderId: string; mayOvertake: boolean },
) => { state: 'held' | 'refused'; reason: string } | null

/** How often a send that is refused for its epoch is retried immediately. After that it pauses like any failure. */
const EPOCH_RETRIES = 2

/**
 * Sends one conversation's outbox to the server.
 * @see docs/decisions/0008-delivery-in-the-browser.md
 */
export function createDelivery(
  options: Party & {
    tab: Tab
    link: ChatLink
    requests: ConversationRequests
    sync: ConversationSync
    /** Unsent messages from another conversation. */
    unsent: readonly OutboxEntry[]
    /** Returns what to tell the writer. The default is the error's message. */
    textOf?: ((error: AppError) => string) | undefined
    guard?: Guard | undefined
    openAttachments: () => Promise<ConversationAttachments>
    onChange: () => void
    /** Called when one of this tab's messages was stored. */
    onStored: (message: Message) => void
  },
) {
  const { side, clientId, senderId, tab, link, requests, sync, unsent, openAttachments, onChange, onStored } =
    options
  const { textOf = ({ message }) => message, guard } = options
  const { timeline } = sync
  const owner = side === 'admin' ? senderId : 'visitor'
  const prefix = outboxPrefix(owner, clientId)
  const outbox = createOutbox(tab, owner, clientId)
  // The messages keep their nonces, so that the server stores each once even if two tabs move the same message.
  for (const entry of unsent)
    outbox.replace({ ...entry, state: 'sending', reason: null, epoch: '', knownSeq: 0 })
  /** Loaded once a message has files. */
  let uploads: AttachmentUploads | null = null
  let entries = outbox.list()
  /**
   * Messages that were typed in this tab while connected, and have not failed yet. They are sent even if others have
   * written in this history since.
   */
  const fresh = new Set<string>()

  /** Returns the messages that are not stored. A stored message is not pending, no matter which tab sent it. */
  const pending = () =>
    entries.filter(({ nonce }) => !timeline.has(nonce)).map((entry) => uploads?.withProgress(entry) ?? entry)

  function refresh() {
    entries = outbox.list()
    uploads?.check()
    onChange()
  }

  const sender = createSender<OutboxEntry>({
    tab,
    lock: prefix.slice(0, -1),
    next: () => outbox.list().find(({ state }) => state === 'sending'),
    deliver,
    onFailure(entry, error) {
      if (entry === undefined) return
      fresh.delete(entry.nonce)
      // Without a connection, the link shows the reason. With one, the message does.
      const connected = link.getState().connection === 'connected'
      const reason = connected && error instanceof AppError ? textOf(error) : null
      const stored = outbox.find(entry.nonce)
      if (stored?.state !== 'sending' || stored.reason === reason) return
      outbox.replace({ ...stored, reason })
      refresh()
    },
  })

  async function loadUploads(): Promise<AttachmentUploads> {
    const files = await openAttachments()
    uploads ??= files.uploads(outbox, refresh)
    return uploads
  }

  async function deliver(entry: OutboxEntry) {
    let isUploadedAgain = false
    const isCanceled = () => entry.files && outbox.find(entry.nonce)?.state !== 'sending'
    for (let retries = 0; ; retries++) {
      const wasCurrent = guard && sync.isCurrent()
      if (!timeline.loaded || wasCurrent === false) await sync.run()
      if (timeline.has(entry.nonce)) return remove(entry.nonce)
      const known = { timeline, senderId, mayOvertake: fresh.has(entry.nonce) }
      const stop = guard?.(entry, known)
      if (stop) return setAside(entry, stop.state, stop.reason)
      try {
        const { nonce, message, then } = entry
        const attachments = entry.files && (await (await loadUploads()).run(nonce))
        if (isCanceled()) return refresh()
        const epoch = timeline.epoch || undefined
        const outgoing = { nonce, message, epoch, then, ...(attachments && { attachments }) }
        const stored = await requests.send(outgoing, async () => {
          // The socket may have been dead for seconds, so an admin must see what has arrived before their reply goes
          // out.
          if (!wasCurrent) return
          await sync.run()
          const late = guard(entry, known)
          if (late) throw new AppError('unavailable', late.reason)
        })
        await sync.addStored(stored)
        // Messages that sync showed are removed already, but a stored message is not always shown.
        remove(nonce)
        onStored(stored)
        return
      } catch (error) {
        if (isCanceled()) return refresh()
        if (!(error instanceof AppError)) throw error
        if (error.code === 'invalid-input' && !isUploadedAgain && uploads?.uploadAgain(entry.nonce))
          isUploadedAgain = true
        else if (error.code === 'stale-epoch' && retries < EPOCH_RETRIES) await sync.run()
        else if (isRefusal(error, side)) return setAside(entry, 'refused', textOf(error))
        else throw error
      }
    }
  }

  function remove(nonce: string) {
    forget(outbox.find(nonce))
    refresh()
  }

  function forget(entry?: OutboxEntry) {
    if (entry === undefined) return
    outbox.remove(entry.nonce)
    if (entry.files) void forgetBytes(entry.files, openAttachments).catch(() => {})
  }

  function setAside(entry: OutboxEntry, state: 'held' | 'canceled' | 'refused', reason: string | null) {
    outbox.replace({ ...(outbox.find(entry.nonce) ?? entry), state, reason })
    refresh()
  }

  function enqueue(entry: OutboxEntry) {
    if (link.getState().connection === 'connected') fresh.add(entry.nonce)
    refresh()
    sender.run()
  }

  const known = () => ({ epoch: timeline.epoch, knownSeq: timeline.messages.at(-1)?.seq ?? 0 })

  link.onStorageChange((key) => {
    if (key !== null && !key.startsWith(prefix)) return
    const before = pending()
    refresh()
    const left = new Set(pending().map(({ nonce }) => nonce))
    const sent = before.filter(({ nonce, state }) => state === 'sending' && !left.has(nonce))
    // Another tab sent these messages. If they do not arrive here as facts, they are read.
    const isMissing = () => link.isStarted && sent.some(({ nonce }) => !timeline.has(nonce))
    if (sent.length > 0) setTimeout(() => isMissing() && sync.tryRun(), GAP_WAIT_MS)
    if (left.size > 0) sender.run()
  })
  link.onReachable(() => {
    if (pending().length > 0) sender.retryNow()
  })
  if (side === 'visitor') link.onLeave(() => sendOldest(outbox.list(), options))
  link.onStop(sender.stop)

  return {
    outbox: outbox as Pick<Outbox, 'list' | 'remove'>,
    get pending() {
      return pending()
    },
    /** Whether any message is neither held, refused, nor canceled. */
    hasUnsent: () => pending().some(({ state }) => state === 'sending'),
    send(message: string, files: OutboxEntry['files'] = [], then?: Then) {
      const text = withoutEmptyEnds(message)
      if (text !== '' || files.length > 0) enqueue(outbox.add(text, known(), files, then))
    },
    cancel(nonce: string) {
      const entry = outbox.find(nonce)
      if (entry?.files && entry.state === 'sending') setAside(entry, 'canceled', null)
    },
    async retry(nonce: string, without?: string) {
      const opened = findSetAside(outbox, nonce)?.files && (await loadUploads().catch(() => null))
      // If two calls retry the same message, only one finds it here.
      const found = findSetAside(outbox, nonce)
      if (found === undefined || opened === null) return
      const entry = opened ? opened.again(found, without) : found
      if (entry === null) return remove(nonce)
      const again = { ...entry, state: 'sending', reason: null, ...known() } as const
      enqueue(outbox.requeue(again, entry.state === 'refused' ? newNonce() : undefined))
    },
    discard(nonce: string) {
      if (findSetAside(outbox, nonce) !== undefined) remove(nonce)
    },
    /** Removes the messages that the server has stored. */
    acknowledge(messages: readonly Message[]) {
      const waiting = new Map(outbox.list().map((entry) => [entry.nonce, entry]))
      for (const { senderId: author, nonce } of messages) if (author === senderId) forget(waiting.get(nonce))
      refresh()
    },
  }
}

/** Returns the entry if it waits for its writer because it is held, canceled, or refused. */
function findSetAside(outbox: Outbox, nonce: string): OutboxEntry | undefined {
  const entry = outbox.find(nonce)
  return entry?.state === 'sending' ? undefined : entry
}

/**
 * Sends the oldest message, under its nonce, while the page is left. It sends only one, because several requests could
 * arrive in another order.
 */
function sendOldest(entries: readonly OutboxEntry[], { requests, sync }: LeaveOptions): void {
  const oldest = entries.find(({ state }) => state === 'sending')
  if (oldest === undefined || oldest.files || sync.timeline.has(oldest.nonce)) return
  const { nonce, message } = oldest
  requests.sendAndLeave({ nonce, message, epoch: sync.timeline.epoch || undefined })
}

async function forgetBytes(
  files: readonly PendingAttachment[],
  openAttachments: () => Promise<ConversationAttachments>,
) {
  await (await openAttachments()).forget(files.map(({ nonce }) => nonce))
}

/**
 * Whether the error is final, so that the message is refused. If an admin's session has ended, the message is sent once
 * they sign in again. If a visitor is refused their conversation, their unsent messages move to a new one.
 */
function isRefusal({ code, retryable }: AppError, side: Side): boolean {
  if (code === 'forbidden' || (side === 'admin' && code === 'unauthorized')) return false
  return !retryable && code !== 'stale-epoch'
}
