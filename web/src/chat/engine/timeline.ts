import type { Message, Page } from '@proctorpass/shared/schemas/chat'

/**
 * The messages of one conversation in order of seq, put together from pages and facts that come in any order and
 * more than once. Each method answers what is newly shown.
 */
export interface Timeline {
  readonly loaded: boolean
  readonly messages: readonly Message[]
  readonly hasOlder: boolean
  /** Empty while no conversation is known to exist. */
  readonly epoch: string
  /** Everything up to here is shown, as far as the server knows. */
  readonly cursor: number
  /** Facts wait for their predecessors. */
  readonly hasHole: boolean
  has(nonce: string): boolean
  /** False when the history was erased or restored since: then `forget` and read the newest page. */
  fits(epoch: string): boolean
  forget(): void
  addNewest(page: Page): Message[]
  addNewer(page: Page): Message[]
  addOlder(page: Page): Message[]
  /** A fact or an acknowledgement. What comes before its predecessors waits for them. */
  add(message: Message): Message[]
  /** Shows the message although its predecessors are missing. */
  force(message: Message): Message[]
}

export function createTimeline(): Timeline {
  let loaded = false
  let messages: readonly Message[] = []
  let hasOlder = false
  let epoch = ''
  let cursor = 0
  const ahead = new Map<number, Message>()
  const seqs = new Set<number>()
  const nonces = new Set<string>()

  function show(candidates: readonly Message[]): Message[] {
    const fresh = candidates.filter(({ seq }) => !seqs.has(seq))
    if (fresh.length === 0) return fresh
    for (const { seq, nonce } of fresh) {
      seqs.add(seq)
      nonces.add(nonce)
    }
    messages = [...messages, ...fresh].sort((a, b) => a.seq - b.seq)
    return fresh
  }

  /** What a fact or an acknowledgement may be older than is not shown: it comes with its page. */
  const isAboveTop = (message: Message) => hasOlder && message.seq < (messages[0]?.seq ?? 0)

  /** Shows what waited, as far as nothing is missing before it or the server said that nothing exists there. */
  function settle(known: number): Message[] {
    const ready: Message[] = []
    for (const seq of [...ahead.keys()].sort((a, b) => a - b)) {
      if (seq > cursor + 1 && seq > known) break
      const message = ahead.get(seq)
      ahead.delete(seq)
      cursor = Math.max(cursor, seq)
      if (message && message.epoch === epoch) ready.push(message)
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
    get hasHole() {
      return ahead.size > 0
    },
    has: (nonce) => nonces.has(nonce),
    fits: (other) => epoch === '' || other === epoch,
    forget() {
      loaded = false
      messages = []
      hasOlder = false
      epoch = ''
      cursor = 0
      ahead.clear()
      seqs.clear()
      nonces.clear()
    },
    addNewest(page) {
      loaded = true
      epoch = page.epoch
      hasOlder = page.more
      cursor = Math.max(cursor, page.messages.at(-1)?.seq ?? 0)
      return [...show(page.messages), ...settle(page.seq)]
    },
    addNewer(page) {
      epoch = page.epoch
      const shown = show(page.messages)
      cursor = Math.max(cursor, page.messages.at(-1)?.seq ?? 0)
      return page.more ? shown : [...shown, ...settle(page.seq)]
    },
    addOlder(page) {
      hasOlder = page.more
      return show(page.messages)
    },
    add(message) {
      if (isAboveTop(message) || seqs.has(message.seq)) return []
      if (!loaded || message.seq > cursor + 1) {
        ahead.set(message.seq, message)
        return []
      }
      epoch = message.epoch
      cursor = Math.max(cursor, message.seq)
      return [...show([message]), ...settle(cursor)]
    },
    force(message) {
      ahead.delete(message.seq)
      return isAboveTop(message) ? [] : show([message])
    },
  }
}
