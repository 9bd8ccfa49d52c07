/** Storage, for which "disabled" and "full" are everyday states: reading gives null, writing is let go. */

/** For this browser, or for this tab until it is closed. */
type Where = 'localStorage' | 'sessionStorage'

export function readStored(key: string, where: Where = 'localStorage'): string | null {
  try {
    return window[where].getItem(key)
  } catch {
    return null
  }
}

/** `null` removes the key. */
export function writeStored(key: string, value: string | null, where: Where = 'localStorage'): void {
  try {
    if (value === null) window[where].removeItem(key)
    else window[where].setItem(key, value)
  } catch {
    // The session goes on without it.
  }
}
