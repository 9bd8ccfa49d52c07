import type { Then } from '@proctorpass/shared/schemas/inbox'
import type { PendingAttachment } from './attachments.ts'
import { randomText } from './random-text.ts'
import type { Tab } from './tab.ts'
import type { PendingMessage } from './types.ts'

/** A pending message in its stored form. */
export interface OutboxEntry extends PendingMessage {
  /** The sort key, which grows with every message typed, even if the clock is set back. */
  order: number
  /** The epoch that this tab knew when the message was typed. */
  epoch: string
  knownSeq: number
}

/**
 * The messages in one conversation that the server has not acknowledged. Each message has its own key in localStorage,
 * so that two tabs never overwrite each other. A message that storage refuses lives as long as the page.
 * @see docs/decisions/0008-delivery-in-the-browser.md
 */
export interface Outbox {
  /** Returns all tabs' entries in typing order. Reads storage on each call. */
  list(): OutboxEntry[]
  find(nonce: string): OutboxEntry | undefined
  add(
    message: string,
    known: Pick<OutboxEntry, 'epoch' | 'knownSeq'>,
    files?: readonly PendingAttachment[],
    then?: Then,
  ): OutboxEntry
  replace(entry: OutboxEntry): void
  /** Moves an entry to the end, under another nonce if given. */
  requeue(entry: OutboxEntry, nonce?: string): OutboxEntry
  remove(nonce: string): void
}

const NONCE_LENGTH = 22
export const newNonce = () => randomText(NONCE_LENGTH)

export const ownerPrefix = (owner: string) => `outbox:${owner}:`
export const outboxPrefix = (owner: string, clientId: string) => `${ownerPrefix(owner)}${clientId}:`

export function createOutbox(tab: Tab, owner: string, clientId: string): Outbox {
  const prefix = outboxPrefix(owner, clientId)
  /** The entries that storage refused, or holds in an older state. */
  const memory = new Map<string, OutboxEntry>()
  const removed = new Set<string>()
  let newest = 0

  function list(): OutboxEntry[] {
    const entries = new Map<string, OutboxEntry>()
    for (const key of keysOf(tab, prefix)) {
      const entry = read(tab, key)
      if (entry && key === prefix + entry.nonce && !removed.has(entry.nonce)) entries.set(entry.nonce, entry)
    }
    for (const entry of memory.values()) entries.set(entry.nonce, entry)
    const sorted = [...entries.values()].sort((a, b) => a.order - b.order || (a.nonce < b.nonce ? -1 : 1))
    newest = Math.max(newest, sorted.at(-1)?.order ?? 0)
    return sorted
  }

  function replace(entry: OutboxEntry) {
    try {
      if (tab.storage === null) throw new Error('no storage')
      tab.storage.setItem(prefix + entry.nonce, JSON.stringify(entry))
      memory.delete(entry.nonce)
    } catch {
      memory.set(entry.nonce, entry)
    }
  }

  function nextOrder(): number {
    list()
    newest = Math.max(Date.now(), newest + 1)
    return newest
  }

  function remove(nonce: string) {
    removed.add(nonce)
    memory.delete(nonce)
    try {
      tab.storage?.removeItem(prefix + nonce)
    } catch {
      // The entry stays in storage, but `removed` hides it.
    }
  }

  return {
    list,
    find: (nonce) => list().find((entry) => entry.nonce === nonce),
    replace,
    remove,
    add(message, known, files = [], then) {
      const entry: OutboxEntry = {
        nonce: newNonce(),
        message,
        then,
        typedAt: Date.now(),
        state: 'sending',
        reason: null,
        order: nextOrder(),
        ...known,
        ...(files.length > 0 && { files }),
      }
      replace(entry)
      return entry
    },
    requeue(entry, nonce = entry.nonce) {
      const next = { ...entry, nonce, order: nextOrder() }
      // The new entry is written before the old one is removed, because a crash between the two must not lose the text.
      replace(next)
      if (nonce !== entry.nonce) remove(entry.nonce)
      return next
    },
  }
}

/** Moves a visitor's unsent messages, with their nonces, to the visitor's other conversation. */
export function moveOutbox(tab: Tab, from: string, to: string): void {
  if (from === to) return
  const old = createOutbox(tab, 'visitor', from)
  const next = createOutbox(tab, 'visitor', to)
  for (const entry of old.list()) {
    next.replace({ ...entry, epoch: '', knownSeq: 0 })
    old.remove(entry.nonce)
  }
}

/** Returns the storage's keys that begin with the prefix. */
export function keysOf(tab: Tab, prefix: string): string[] {
  const keys: string[] = []
  try {
    for (let index = 0; index < (tab.storage?.length ?? 0); index++) {
      const key = tab.storage?.key(index)
      if (key?.startsWith(prefix)) keys.push(key)
    }
  } catch {
    // Unreadable storage counts as empty.
  }
  return keys
}

/** Returns null for anything that is not an entry. It stays in storage, because it may come from a newer version. */
function read(tab: Tab, key: string): OutboxEntry | null {
  try {
    const entry: OutboxEntry = JSON.parse(tab.storage?.getItem(key) ?? 'null')
    const is = (type: string, ...fields: (keyof OutboxEntry)[]) =>
      fields.every((field) => typeof entry[field] === type)
    const valid =
      is('string', 'nonce', 'message', 'epoch') &&
      is('number', 'typedAt', 'order', 'knownSeq') &&
      (entry.reason === null || is('string', 'reason')) &&
      (entry.files === undefined || Array.isArray(entry.files)) &&
      ['sending', 'held', 'canceled', 'refused'].includes(entry.state)
    return valid ? entry : null
  } catch {
    return null
  }
}
