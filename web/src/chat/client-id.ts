import { CLIENT_ID_LENGTH, CLIENT_ID_PATTERN } from '@proctorpass/shared/limits'
import { randomText } from './random.ts'
import { type Tab, thisTab, withLock } from './tab.ts'

const KEY = 'clientId'
const VALID = new RegExp(CLIENT_ID_PATTERN)

/** For tabs whose storage is disabled or full. */
let remembered: string | null = null

/** The visitor's id if this browser has one. It is a credential: it belongs into no URL of a page and no log. */
export function clientId(tab: Tab = thisTab()): string | null {
  try {
    const stored = tab.storage?.getItem(KEY)
    if (stored && VALID.test(stored)) return stored
  } catch {
    // A storage that cannot be read is as good as none.
  }
  return remembered
}

/** The visitor's id, made now if there is none. Two fresh tabs agree on one. */
export async function ensureClientId(tab: Tab = thisTab()): Promise<string> {
  return clientId(tab) ?? (await withLock(tab, KEY, async () => clientId(tab) ?? create(tab)))
}

function create(tab: Tab): string {
  remembered = randomText(CLIENT_ID_LENGTH)
  try {
    tab.storage?.setItem(KEY, remembered)
  } catch {
    // Full: the id lives as long as the tab.
  }
  return remembered
}
