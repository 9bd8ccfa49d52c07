import {
  CLIENT_ID_LENGTH,
  CLIENT_ID_PATTERN,
  VISITOR_KEY_BYTES,
  VISITOR_KEY_PATTERN,
} from '@proctorpass/shared/limits'
import { randomText } from './random-text.ts'
import { type Tab, withLock } from './tab.ts'

/** Who this browser is to the server. */
export interface Visitor {
  /** Names the conversation. */
  clientId: string
  /** Opens it: it goes to the server and nowhere else. Null where it could not be stored for as long as the clientId. */
  key: string | null
}

const ID_ITEM = 'clientId'
const KEY_ITEM = 'clientKey'
const VALID_ID = new RegExp(CLIENT_ID_PATTERN)
const VALID_KEY = new RegExp(VISITOR_KEY_PATTERN)

/** For tabs whose storage is disabled or full. */
let remembered: Visitor | null = null

/** The visitor's identity, made now if there is none. Two fresh tabs agree on one. */
export function ensureVisitor(tab: Tab): Promise<Visitor> {
  return withLock(tab, ID_ITEM, async () => {
    const found = read(tab)
    if (found === null) return create(tab)
    // Of a page from before there were keys. The next message brings the new key to the server.
    return found.key === null && found !== remembered ? addKey(tab, found.clientId) : found
  })
}

/** Another identity than the one that the server refuses; the one that another tab has made, if there is one. */
export function replaceVisitor(refused: Visitor, tab: Tab): Promise<Visitor> {
  return withLock(tab, ID_ITEM, async () => {
    const found = read(tab)
    const isOther = found !== null && (found.clientId !== refused.clientId || found.key !== refused.key)
    return isOther ? found : create(tab)
  })
}

function read(tab: Tab): Visitor | null {
  if (remembered !== null) return remembered
  try {
    const clientId = tab.storage?.getItem(ID_ITEM)
    if (!clientId || !VALID_ID.test(clientId)) return null
    const key = tab.storage?.getItem(KEY_ITEM)
    return { clientId, key: key && VALID_KEY.test(key) ? key : null }
  } catch {
    // A storage that cannot be read is as good as none.
    return null
  }
}

function create(tab: Tab): Visitor {
  const clientId = randomText(CLIENT_ID_LENGTH)
  const key = newKey()
  try {
    if (tab.storage === null) throw new Error('no storage')
    // The key first: a clientId without one would be taken for an older page's.
    tab.storage.setItem(KEY_ITEM, key)
    tab.storage.setItem(ID_ITEM, clientId)
    remembered = null
    return { clientId, key: keptKey(tab, key) }
  } catch {
    // Full: they live as long as the page.
    remembered = { clientId, key }
    return remembered
  }
}

function addKey(tab: Tab, clientId: string): Visitor {
  const key = newKey()
  try {
    tab.storage?.setItem(KEY_ITEM, key)
    return { clientId, key: keptKey(tab, key) }
  } catch {
    return { clientId, key: null }
  }
}

/** A key that goes before its clientId would lock its own visitor out. */
function keptKey({ storage }: Tab, key: string): string | null {
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
