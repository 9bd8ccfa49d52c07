import { AppError } from '@proctorpass/shared/errors'
import type { ConversationRead, Side, TypingChanged } from '@proctorpass/shared/events'
import { GAP_WAIT_MS, TYPING_TTL_MS } from '@proctorpass/shared/limits'
import type { Message, Page } from '@proctorpass/shared/schemas/chat'
import type { ChatLink } from './link.ts'
import { createOutbox, newNonce, type Outbox, type OutboxEntry, outboxPrefix } from './outbox.ts'
import type { Wire } from './requests.ts'
import { createSender } from './sender.ts'
import type { Tab } from './tab.ts'
import { createTimeline } from './timeline.ts'
import type { ArrivedMessages, Conversation, ConversationState } from './types.ts'

/** A conversation with the doors through which the chat hands it the server's facts. */
export interface FollowedConversation extends Conversation {
  outbox: Pick<Outbox, 'list' | 'remove'>
  facts: {
    message(message: Message): void
    read(fact: ConversationRead): void
    typing(fact: TypingChanged): void
    presence(online: boolean): void
  }
}

/** Messages of the first page and of each older one. */
const SCREENFUL = 50
const READ_WAIT_MS = 250
const TYPING_EVERY_MS = 3_000
/** The server may say twice in a row that the epoch is old; then something else is wrong, and it is tried later. */
const EPOCH_TRIES = 2

export function createConversation(options: {
  side: Side
  clientId: string
  /** Whose messages are this person's own, and whose outbox it is: the clientId or the user id. */
  senderId: string
  tab: Tab
  link: ChatLink
  wire: Wire
  /** A message of this tab was stored. */
  onStored: (message: Message) => void
  /** What was not sent in another conversation. */
  carried?: readonly OutboxEntry[]
}): FollowedConversation {
  const { side, clientId, senderId, tab, link, wire, onStored, carried = [] } = options
  const owner = side === 'admin' ? senderId : 'visitor'
  const prefix = outboxPrefix(owner, clientId)
  const outbox = createOutbox(tab, owner, clientId)
  // Under their nonces: of two tabs that carry the same, the server stores one.
  for (const entry of carried) {
    outbox.replace({ ...entry, state: 'sending', reason: null, epoch: '', knownSeq: 0 })
  }
  const timeline = createTimeline()
  const listeners = new Set<() => void>()
  const arrivedListeners = new Set<(arrived: ArrivedMessages) => void>()

  let started = false
  let pending = outbox.list()
  let read = { visitor: 0, admin: 0 }
  const typing = { visitor: false, admin: false }
  let peerOnline: boolean | null = null
  let loadingOlder = false
  let state = picture()

  function picture(): ConversationState {
    return {
      loaded: timeline.loaded,
      messages: timeline.messages,
      pending,
      hasOlder: timeline.hasOlder,
      loadingOlder,
      read,
      visitorTyping: typing.visitor,
      adminTyping: typing.admin,
      peerOnline,
    }
  }

  function changed() {
    state = picture()
    for (const listener of listeners) listener()
  }

  function outboxChanged() {
    // What is stored is not shown as waiting, whichever tab got it there.
    pending = outbox.list().filter(({ nonce }) => !timeline.has(nonce))
    changed()
  }

  // --- reading ---

  let syncing: Promise<void> | null = null
  let nextSync: Promise<void> | null = null
  /** The connection over which everything was read. */
  let levelOver = 0
  let gapTimer: ReturnType<typeof setTimeout> | undefined

  const isLevel = () => link.push.isUp && levelOver === link.connections && !timeline.hasHole

  /** Reads everything newer. One at a time: a call during another waits for one that began after it. */
  function sync(): Promise<void> {
    if (syncing === null) {
      syncing = readAll().finally(() => {
        syncing = null
      })
      return syncing
    }
    nextSync ??= syncing
      .catch(() => {})
      .then(() => {
        nextSync = null
        return sync()
      })
    return nextSync
  }

  async function readAll() {
    const over = link.push.isUp ? link.connections : 0
    try {
      if (timeline.loaded) await readNewer()
      if (!timeline.loaded) take(await wire.sync({ limit: SCREENFUL }), 'newest')
    } catch (error) {
      link.failed(error)
      throw error
    }
    levelOver = over
    link.worked()
    watchHole()
    markRead()
  }

  async function readNewer() {
    for (;;) {
      const page = await wire.sync({ after: timeline.cursor })
      if (!timeline.fits(page.epoch)) {
        forget()
        return
      }
      take(page, 'newer')
      if (!page.more || page.messages.length === 0) return
    }
  }

  function take(page: Page, which: 'newest' | 'newer') {
    const shown = which === 'newest' ? timeline.addNewest(page) : timeline.addNewer(page)
    moveMarks(page.read)
    arrived(shown, which === 'newer')
  }

  /** The history was erased or restored: none of what is known of it counts. */
  function forget() {
    timeline.forget()
    read = { visitor: 0, admin: 0 }
    seen = 0
    changed()
  }

  /** Two nodes may overtake each other, so a hole gets a moment to close by itself. */
  function watchHole() {
    if (timeline.loaded && timeline.hasHole) {
      gapTimer ??= setTimeout(() => {
        gapTimer = undefined
        void sync().catch(() => {})
      }, GAP_WAIT_MS)
    } else stopWatching()
  }

  function stopWatching() {
    clearTimeout(gapTimer)
    gapTimer = undefined
  }

  function arrived(shown: readonly Message[], live: boolean) {
    const kept = new Set(outbox.list().map(({ nonce }) => nonce))
    for (const message of shown) {
      const by = message.senderId === clientId ? 'visitor' : 'admin'
      if (live) setTypingOf(by, false)
      if (message.senderId === senderId && kept.has(message.nonce)) outbox.remove(message.nonce)
    }
    outboxChanged()
    const others = shown.filter((message) => message.senderId !== senderId)
    if (others.length === 0) return
    for (const listener of arrivedListeners) listener({ messages: others, live })
  }

  // --- sending ---

  /** Typed here while the server was there and not yet tried in vain: nobody need look at it again. */
  const fresh = new Set<string>()

  const sender = createSender<OutboxEntry>({
    tab,
    lock: prefix.slice(0, -1),
    next: () => outbox.list().find((entry) => entry.state === 'sending'),
    deliver,
    onFailure(entry, error) {
      if (entry === undefined) return
      fresh.delete(entry.nonce)
      // While nothing works the link says so; when only this does not, it is said here.
      const isOdd = error instanceof AppError && link.getState().connection === 'connected'
      const reason = isOdd ? error.message : null
      const kept = outbox.list().find(({ nonce }) => nonce === entry.nonce)
      if (kept?.state !== 'sending' || kept.reason === reason) return
      outbox.replace({ ...kept, reason })
      outboxChanged()
    },
  })

  async function deliver(entry: OutboxEntry) {
    for (let tries = 0; ; tries++) {
      if (!timeline.loaded || (side === 'admin' && !isLevel())) await sync()
      if (timeline.has(entry.nonce)) {
        outbox.remove(entry.nonce)
        outboxChanged()
        return
      }
      if (side === 'admin' && !fresh.has(entry.nonce) && isOvertaken(entry)) {
        outbox.replace({ ...entry, state: 'held', reason: null })
        outboxChanged()
        return
      }
      try {
        const { nonce, message } = entry
        await stored(await wire.send({ nonce, message, epoch: timeline.epoch }))
        return
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        if (error.code === 'stale-epoch' && tries < EPOCH_TRIES) {
          await sync()
          continue
        }
        if (!isRefusal(error)) throw error
        outbox.replace({ ...entry, state: 'refused', reason: error.message })
        outboxChanged()
        return
      }
    }
  }

  /**
   * An admin whose session ended signs in again and sends then. A visitor who is not let into their conversation gets
   * another one, and what waits goes there. Nothing else the server says no to changes.
   */
  function isRefusal({ code, retryable }: AppError): boolean {
    if (code === 'forbidden' || (side === 'admin' && code === 'unauthorized')) return false
    return !retryable && code !== 'stale-epoch'
  }

  /** The visitor wrote after this was typed. */
  function isOvertaken(entry: OutboxEntry): boolean {
    const known = entry.epoch === timeline.epoch ? entry.knownSeq : 0
    return timeline.messages.some((message) => message.seq > known && message.senderId === clientId)
  }

  async function stored(message: Message) {
    const fits = timeline.fits(message.epoch)
    if (fits) arrived(timeline.add(message), true)
    // Something came before it that this tab has not heard of.
    if (!fits || timeline.hasHole) await sync().catch(() => {})
    if (fits && !timeline.has(message.nonce)) arrived(timeline.force(message), true)
    outbox.remove(message.nonce)
    outboxChanged()
    onStored(message)
  }

  function enqueue(entry: OutboxEntry) {
    if (link.getState().connection === 'connected') fresh.add(entry.nonce)
    outboxChanged()
    sender.wake()
  }

  const knownNow = () => ({ epoch: timeline.epoch, seq: timeline.messages.at(-1)?.seq ?? 0 })

  function waiting(nonce: string): OutboxEntry | undefined {
    return outbox.list().find((entry) => entry.nonce === nonce && entry.state !== 'sending')
  }

  function storageChanged(key: string | null) {
    if (key !== null && !key.startsWith(prefix)) return
    const before = pending
    outboxChanged()
    const left = new Set(pending.map(({ nonce }) => nonce))
    // Another tab got it stored: its message is on its way here too, or is asked for.
    const gone = before.filter(({ nonce, state }) => state === 'sending' && !left.has(nonce))
    if (gone.length > 0) {
      setTimeout(() => {
        if (link.isStarted && gone.some(({ nonce }) => !timeline.has(nonce))) void sync().catch(() => {})
      }, GAP_WAIT_MS)
    }
    if (pending.length > 0) sender.wake()
  }

  // --- read marks ---

  let seen = 0
  let readTimer: ReturnType<typeof setTimeout> | undefined

  function moveMarks(marks: { visitor: number; admin: number }) {
    const next = { visitor: Math.max(read.visitor, marks.visitor), admin: Math.max(read.admin, marks.admin) }
    if (next.visitor === read.visitor && next.admin === read.admin) return
    read = next
    changed()
  }

  /** One that fails goes again with the next sync. */
  function markRead() {
    clearTimeout(readTimer)
    readTimer = undefined
    if (seen <= read[side] || !link.isStarted) return
    const { epoch } = timeline
    wire.read(seen).then(
      ({ seq }) => {
        if (epoch === timeline.epoch) moveMarks({ ...read, [side]: seq })
      },
      () => {},
    )
  }

  // --- typing ---

  const expiry: Partial<Record<Side, ReturnType<typeof setTimeout>>> = {}
  /** When the last key was pressed, and when that was last told; null since it was taken back. */
  let keyAt: number | null = null
  let toldAt: number | null = null

  function tellTyping() {
    const isTyping = keyAt !== null
    const isTold = toldAt !== null && (!isTyping || performance.now() - toldAt < TYPING_EVERY_MS)
    if (isTyping !== isTold && wire.typing(isTyping)) toldAt = isTyping ? performance.now() : null
  }

  function setTypingOf(by: Side, value: boolean) {
    clearTimeout(expiry[by])
    if (value) expiry[by] = setTimeout(() => setTypingOf(by, false), TYPING_TTL_MS)
    if (typing[by] === value) return
    typing[by] = value
    changed()
  }

  link.subscribe(() => {
    if (link.push.isUp) return
    toldAt = null
    setTypingOf('visitor', false)
    setTypingOf('admin', false)
    if (peerOnline === null) return
    peerOnline = null
    changed()
  })

  link.follow({
    isAwake: () => started || pending.some((entry) => entry.state === 'sending'),
    sync,
    hurry() {
      if (pending.length > 0) sender.hurry()
      // Whoever began before the socket was up still types.
      if (keyAt !== null && performance.now() - keyAt < TYPING_EVERY_MS) tellTyping()
    },
    storageChanged,
    halt() {
      sender.halt()
      stopWatching()
      clearTimeout(readTimer)
    },
  })

  return {
    clientId,
    outbox,
    start() {
      if (started) return
      started = true
      link.sync()
    },
    stop() {
      started = false
    },
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onArrived(listener) {
      arrivedListeners.add(listener)
      return () => arrivedListeners.delete(listener)
    },
    send(message) {
      const text = message.trim()
      if (text !== '') enqueue(outbox.add(text, knownNow()))
    },
    retry(nonce) {
      const entry = waiting(nonce)
      if (entry === undefined) return
      const { epoch, seq } = knownNow()
      const again = { ...entry, state: 'sending', reason: null, epoch, knownSeq: seq } as const
      enqueue(outbox.requeue(again, entry.state === 'refused' ? newNonce() : undefined))
    },
    discard(nonce) {
      if (waiting(nonce) === undefined) return
      outbox.remove(nonce)
      outboxChanged()
    },
    async loadOlder() {
      const first = timeline.messages[0]
      if (loadingOlder || !timeline.hasOlder || first === undefined) return
      loadingOlder = true
      changed()
      try {
        const page = await wire.sync({ before: first.seq, limit: SCREENFUL })
        if (page.epoch === first.epoch && timeline.epoch === first.epoch) timeline.addOlder(page)
      } finally {
        loadingOlder = false
        outboxChanged()
      }
    },
    markSeen(seq) {
      if (seq <= seen || seq <= read[side]) return
      seen = seq
      readTimer ??= setTimeout(markRead, READ_WAIT_MS)
    },
    async erase() {
      await wire.erase()
      forget()
      await sync()
    },
    setTyping(value) {
      keyAt = value ? performance.now() : null
      tellTyping()
    },
    facts: {
      message(message) {
        // Without having read its conversation nothing waits for it.
        if (!started && !timeline.loaded) return
        if (!timeline.fits(message.epoch)) {
          void sync().catch(() => {})
          return
        }
        arrived(timeline.add(message), true)
        watchHole()
      },
      read(fact) {
        moveMarks({ ...read, [fact.by]: fact.seq })
      },
      typing(fact) {
        setTypingOf(fact.by, fact.typing)
      },
      presence(online) {
        if (online === peerOnline) return
        peerOnline = online
        changed()
      },
    },
  }
}
