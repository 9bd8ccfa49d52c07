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
  /** Identifies the conversation. */
  clientId: string
  /**
   * Opens the conversation, and is sent only to the server. Null if storage could not keep it as long as the clientId.
   */
  key: string | null
}

const ID_ITEM = 'clientId'
const KEY_ITEM = 'clientKey'
const VALID_ID = new RegExp(CLIENT_ID_PATTERN)
const VALID_KEY = new RegExp(VISITOR_KEY_PATTERN)

type KeyedVisitor = Visitor & { key: string }

/** The first word in the name of the lock that announces a new identity. */
const ANNOUNCEMENT = 'visitor'
/** Longer than a write to localStorage takes to reach the other tabs. A page that holds a lock cannot be cached. */
const ANNOUNCE_MS = 10_000

/** The identity in tabs whose storage is disabled or full. */
let inMemory: Visitor | null = null

/**
 * Returns the visitor's identity, which is created if there is none. Two new tabs get the same one.
 * @see docs/decisions/0033-visitor-keys.md
 */
export function ensureVisitor(tab: Tab): Promise<Visitor> {
  return withLock(tab, ID_ITEM, async () => {
    const found = read(tab)
    if (found !== null && (found.key !== null || found === inMemory)) return found
    const isSame = ({ clientId }: Visitor) => found === null || clientId === found.clientId
    const made = (await announced(tab)).find(isSame) ?? newVisitor(found?.clientId)
    // An older page stored the clientId without a key. The next message carries the new key to the server.
    return announce(tab, found === null ? store(tab, made) : storeKey(tab, made))
  })
}

/** Returns the stored identity; null while this browser has none. */
export function storedVisitor(tab: Tab): Visitor | null {
  return read(tab)
}

/** Continues another conversation in this browser. Open tabs keep theirs until they reload. */
export function adoptVisitor(visitor: KeyedVisitor, tab: Tab): Promise<Visitor> {
  return withLock(tab, ID_ITEM, async () => store(tab, visitor))
}

/**
 * Replaces the identity with a new one. This is one step, because without a stored identity `ensureVisitor` would take
 * back the announced one.
 */
export function renewVisitor(tab: Tab): Promise<Visitor> {
  return withLock(tab, ID_ITEM, async () => {
    inMemory = null
    return announce(tab, store(tab, newVisitor()))
  })
}

/** Returns an identity other than the one that the server refuses: another tab's replacement, or a new one. */
export function replaceVisitor(refused: Visitor, tab: Tab): Promise<Visitor> {
  return withLock(tab, ID_ITEM, async () => {
    const found = read(tab)
    const isOther = ({ clientId, key }: Visitor) => clientId !== refused.clientId || key !== refused.key
    if (found !== null && isOther(found)) return found
    return announce(tab, store(tab, (await announced(tab)).find(isOther) ?? newVisitor()))
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

function newVisitor(clientId = randomText(CLIENT_ID_LENGTH)): KeyedVisitor {
  return { clientId, key: newKey() }
}

function store(tab: Tab, visitor: KeyedVisitor): Visitor {
  try {
    if (tab.storage === null) throw new Error('no storage')
    // The key is stored first, because a clientId without a key would look like an older page's.
    tab.storage.setItem(KEY_ITEM, visitor.key)
    tab.storage.setItem(ID_ITEM, visitor.clientId)
    inMemory = null
    return { ...visitor, key: lastingKey(tab, visitor.key) }
  } catch {
    // Storage is full, so the identity lives as long as the page.
    inMemory = visitor
    return inMemory
  }
}

function storeKey(tab: Tab, { clientId, key }: KeyedVisitor): Visitor {
  try {
    tab.storage?.setItem(KEY_ITEM, key)
    return { clientId, key: lastingKey(tab, key) }
  } catch {
    return { clientId, key: null }
  }
}

/**
 * Holds a lock that is named after a new identity. The lock of `withLock` alone does not make two tabs agree: the next
 * tab that gets it may not yet see what this tab wrote to localStorage, but it sees which locks are held.
 */
async function announce(tab: Tab, visitor: Visitor): Promise<Visitor> {
  const name = `${ANNOUNCEMENT} ${visitor.clientId} ${visitor.key}`
  await new Promise<void>((resolve) => {
    const hold = () => {
      resolve()
      return new Promise((end) => setTimeout(end, ANNOUNCE_MS))
    }
    if (visitor.key === null || tab.locks === null) resolve()
    else tab.locks.request(name, { mode: 'shared' }, hold).catch(() => resolve())
  })
  return visitor
}

/** Returns the identities that other tabs have just made. */
async function announced({ locks }: Tab): Promise<KeyedVisitor[]> {
  const { held = [] } = (await locks?.query().catch(() => null)) ?? {}
  return held
    .map(({ name = '' }) => name.split(' '))
    .flatMap(([kind, clientId, key]) => (kind === ANNOUNCEMENT && clientId && key ? [{ clientId, key }] : []))
}

/**
 * Returns the key, or null if storage would lose the key before its clientId, which would lock the visitor out of the
 * conversation.
 */
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
