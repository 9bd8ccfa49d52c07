import type { Message, Page } from '@proctorpass/shared/schemas/chat'

export interface TimelineView {
  readonly loaded: boolean
  readonly messages: readonly Message[]
  readonly hasOlder: boolean
  /** Empty while no conversation is known to exist. */
  readonly epoch: string
  has(nonce: string): boolean
}

/**
 * One conversation's messages in order of seq, built from pages and facts that arrive in any order and more than once.
 * Each method that adds messages returns the newly shown ones.
 */
export interface Timeline extends TimelineView {
  /** Every message up to this seq that the server has is shown. */
  readonly cursor: number
  /** Every shown message has its corrections up to this number. */
  readonly edit: number
  /** Whether messages wait for their predecessors. */
  readonly hasGap: boolean
  /** Returns false if the history was erased or restored. The caller must then `reset` and read the newest page. */
  hasEpoch(epoch: string): boolean
  reset(): void
  addNewest(page: Page): Message[]
  addNewer(page: Page): Message[]
  addOlder(page: Pick<Page, 'messages' | 'more' | 'edit'>): Message[]
  /** Adds a fact or an acknowledgement. After a gap, the message waits for its predecessors. */
  add(message: Message): Message[]
  /**
   * Takes a fact's correction, if it has one. Returns false if earlier corrections, or the message itself, must be read.
   */
  correct(message: Message): boolean
  /** Shows a message of this history even though its predecessors are missing. */
  force(message: Message): Message[]
}

const inOrder = (messages: ReadonlyMap<number, Message>) =>
  [...messages.values()].sort((a, b) => a.seq - b.seq)

export function createTimeline(): Timeline {
  let loaded = false
  let messages: readonly Message[] = []
  let hasOlder = false
  let epoch = ''
  let cursor = 0
  let edit = 0
  const waiting = new Map<number, Message>()
  const shown = new Map<number, Message>()

  /** Shows new messages, and newer words of shown ones. Returns the new ones. */
  function show(candidates: readonly Message[]): Message[] {
    const newer = candidates.filter(({ seq, edit = 0 }) => {
      const before = shown.get(seq)
      return !before || edit > (before.edit ?? 0)
    })
    const fresh = newer.filter(({ seq }) => !shown.has(seq))
    for (const message of newer) shown.set(message.seq, message)
    if (newer[0]) messages = inOrder(shown)
    return fresh
  }

  /** Whether the message is older than the oldest page. It is not shown until its page is read. */
  const isAboveTop = (message: Message) => hasOlder && message.seq < (messages[0]?.seq ?? 0)

  /** Shows waiting messages up to the next gap. Numbers up to `known` that are missing do not exist on the server. */
  function showWaiting(known: number): Message[] {
    const ready: Message[] = []
    for (const message of inOrder(waiting)) {
      const { seq } = message
      const isOurs = message.epoch === epoch
      if (isOurs && seq > cursor + 1 && seq > known) break
      waiting.delete(seq)
      if (!isOurs) continue
      cursor = Math.max(cursor, seq)
      if (!isAboveTop(message)) ready.push(message)
    }
    return show(ready)
  }

  return {
    get loaded() {
      return loaded
    },
    get messages() {
      return messages
    },
    get hasOlder() {
      return hasOlder
    },
    get epoch() {
      return epoch
    },
    get cursor() {
      return cursor
    },
    get edit() {
      return edit
    },
    get hasGap() {
      return waiting.size > 0
    },
    has: (nonce) => messages.some((message) => message.nonce === nonce),
    hasEpoch: (other) => epoch === '' || other === epoch,
    reset() {
      loaded = false
      messages = []
      hasOlder = false
      epoch = ''
      cursor = 0
      edit = 0
      waiting.clear()
      shown.clear()
    },
    addNewest(page) {
      loaded = true
      epoch = page.epoch
      hasOlder = page.more
      edit = page.edit ?? 0
      cursor = Math.max(cursor, page.messages.at(-1)?.seq ?? 0)
      return [...show(page.messages), ...showWaiting(page.seq)]
    },
    addNewer(page) {
      epoch = page.epoch
      const fresh = show(page.messages)
      cursor = Math.max(cursor, page.messages.at(-1)?.seq ?? 0)
      const { edits = [] } = page
      show(edits.filter((message) => shown.has(message.seq)))
      // Until then, a correction can belong to a message that is not shown yet.
      if (cursor >= page.seq) edit = (page.more ? edits.at(-1) : page)?.edit ?? 0
      return page.more ? fresh : [...fresh, ...showWaiting(page.seq)]
    },
    addOlder(page) {
      hasOlder = page.more
      // Corrections may have been read since the page was made.
      edit = Math.min(edit, page.edit ?? 0)
      return show(page.messages)
    },
    add(message) {
      if (isAboveTop(message) || shown.has(message.seq)) return []
      epoch ||= message.epoch
      if (!loaded || message.seq > cursor + 1) {
        waiting.set(message.seq, message)
        return []
      }
      cursor = Math.max(cursor, message.seq)
      return [...show([message]), ...showWaiting(cursor)]
    },
    correct(message) {
      const { seq, edit: number = 0 } = message
      if (shown.has(seq)) {
        show([message])
        if (number === edit + 1) edit = number
      }
      return number <= edit
    },
    force(message) {
      waiting.delete(message.seq)
      return !loaded || message.epoch !== epoch || isAboveTop(message) ? [] : show([message])
    },
  }
}
