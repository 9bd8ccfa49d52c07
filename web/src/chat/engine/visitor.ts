import {
  CLIENT_ID_LENGTH,
  CLIENT_ID_PATTERN,
  VISITOR_KEY_BYTES,
  VISITOR_KEY_PATTERN,
} from '@proctorpass/shared/limits'
import { randomText } from './random-text.ts'
import { type Tab, withLock } from './tab.ts'

/** The identity of this browser's visitor. */
export interface Visitor {
  /** Names the conversation. */
  clientId: string
  /** Opens it; it is sent only to the server. Null if storage could not keep it as long as the clientId. */
  key: string | null
}

const ID_ITEM = 'clientId'
const KEY_ITEM = 'clientKey'
const VALID_ID = new RegExp(CLIENT_ID_PATTERN)
const VALID_KEY = new RegExp(VISITOR_KEY_PATTERN)

/** The identity in tabs whose storage is disabled or full. */
let inMemory: Visitor | null = null

/**
 * The visitor's identity, created if there is none. Two new tabs get the same one.
 *
 * @see docs/decisions/0033-visitor-keys.md
 */
export function ensureVisitor(tab: Tab): Promise<Visitor> {
  return withLock(tab, ID_ITEM, async () => {
    const found = read(tab)
    if (found === null) return create(tab)
    // Stored by a page without keys. The next message carries the new key to the server.
    return found.key === null && found !== inMemory ? addKey(tab, found.clientId) : found
  })
}

/** The stored identity; null while this browser has none. */
export function storedVisitor(tab: Tab): Visitor | null {
  return read(tab)
}

/** Continues another conversation in this browser: open tabs keep theirs until they reload. */
export function adoptVisitor(visitor: Visitor & { key: string }, tab: Tab): Promise<Visitor> {
  return withLock(tab, ID_ITEM, async () => store(tab, visitor.clientId, visitor.key))
}

/** An identity other than the one that the server refuses: another tab's replacement, or a new one. */
export function replaceVisitor(refused: Visitor, tab: Tab): Promise<Visitor> {
  return withLock(tab, ID_ITEM, async () => {
    const found = read(tab)
    const isReplaced = found !== null && (found.clientId !== refused.clientId || found.key !== refused.key)
    return isReplaced ? found : create(tab)
  })
}

function read(tab: Tab): Visitor | null {
  if (inMemory !== null) return inMemory
  try {
    const clientId = tab.storage?.getItem(ID_ITEM)
    if (!clientId || !VALID_ID.test(clientId)) return null
    const key = tab.storage?.getItem(KEY_ITEM)
    return { clientId, key: key && VALID_KEY.test(key) ? key : null }
  } catch {
    // Unreadable storage counts as empty.
    return null
  }
}

function create(tab: Tab): Visitor {
  return store(tab, randomText(CLIENT_ID_LENGTH), newKey())
}

function store(tab: Tab, clientId: string, key: string): Visitor {
  try {
    if (tab.storage === null) throw new Error('no storage')
    // The key first: a clientId without a key would look like an older page's.
    tab.storage.setItem(KEY_ITEM, key)
    tab.storage.setItem(ID_ITEM, clientId)
    inMemory = null
    return { clientId, key: lastingKey(tab, key) }
  } catch {
    // Storage is full: the identity lives as long as the page.
    inMemory = { clientId, key }
    return inMemory
  }
}

function addKey(tab: Tab, clientId: string): Visitor {
  const key = newKey()
  try {
    tab.storage?.setItem(KEY_ITEM, key)
    return { clientId, key: lastingKey(tab, key) }
  } catch {
    return { clientId, key: null }
  }
}

/** Drops a key that is lost before its clientId: the visitor would be locked out of the conversation. */
function lastingKey({ storage }: Tab, key: string): string | null {
  if (storage?.isLasting === undefined || storage.isLasting(KEY_ITEM) || !storage.isLasting(ID_ITEM))
    return key
  storage.removeItem(KEY_ITEM)
  return null
}

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(VISITOR_KEY_BYTES))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=$/, '')
}
