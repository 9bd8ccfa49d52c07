// What loader and frame say to each other, over the port that comes with the hello.

/** The claims that a page may make about its visitor. */
export interface ClaimedProfile {
  name?: string
  email?: string
  examAt?: string
}

/** How the page shows the panel. As a sheet it covers the whole screen. */
export interface PanelPlace {
  open: boolean
  sheet: boolean
}

export const HELLO = 'support-chat:hello'

/** The only message that is posted to the window of the frame, with a port. */
export interface Hello extends PanelPlace {
  type: typeof HELLO
  page: string
  locale: string | null
  /** Forget the visitor of before, ahead of the token. */
  logout: boolean
  /** Of a signed visitor. */
  token: string | null
  /** Of "Test this site" in the dashboard. */
  test: string | null
}

export type ToFrame =
  | ({ type: 'panel' } & PanelPlace)
  | { type: 'page'; page: string }
  | { type: 'locale'; locale: string | null }
  | { type: 'prefill'; text: string }
  | { type: 'profile'; profile: ClaimedProfile }
  | { type: 'identify'; token: string }
  | { type: 'logout' }

export type FromFrame =
  /** It listens, and shows the panel if that is open. */
  | { type: 'ready'; title: string }
  /** Whether this browser has a conversation. */
  | { type: 'exists'; exists: boolean }
  /** `text` follows the name of the launcher, in the language of the visitor. */
  | { type: 'unread'; count: number; text: string }
  /** The visitor closed the panel. */
  | { type: 'close' }
  | { type: 'event'; name: 'sent' | 'received' }
  | { type: 'event'; name: 'error'; code: string }
