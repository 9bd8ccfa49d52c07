import { SCOPE } from './embedded-site.ts'

type Where = 'localStorage' | 'sessionStorage'

/** The endpoint of this browser's push subscription, as the server knows it. */
export const PUSH_ENDPOINT_KEY = 'pushEndpoint'

/** What the visitor typed into the message box. */
export const VISITOR_DRAFT = 'draft:visitor'

/** The ID of the card that was shown last. */
export const CARD_KEY = 'chat:card'

export function readStorage(key: string, where: Where = 'localStorage'): string | null {
  try {
    return window[where].getItem(SCOPE + key)
  } catch {
    return null
  }
}

/** Writes a value. Null removes the key. A disabled or full storage is ignored. */
export function writeStorage(key: string, value: string | null, where: Where = 'localStorage'): void {
  try {
    if (value === null) window[where].removeItem(SCOPE + key)
    else window[where].setItem(SCOPE + key, value)
  } catch {}
}
