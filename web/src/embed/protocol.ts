// This is what the loader and the frame send each other, through the port that comes with the hello.

/** The claims that a page may make about its visitor. */
export interface ClaimedProfile {
  name?: string
  email?: string
  examAt?: string
}

/** How the page shows the panel. A sheet covers the whole screen. */
export interface PanelPlace {
  open: boolean
  sheet: boolean
}

export const HELLO = 'support-chat:hello'

/** The only message that is posted to the frame's window, together with a port. */
export interface Hello extends PanelPlace {
  type: typeof HELLO
  page: string
  locale: string | null
  /** Whether the frame must forget the previous visitor before it uses the token. */
  logout: boolean
  /** A signed visitor's token. */
  token: string | null
  /** The token of "Test this site" in the dashboard. */
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
  /** The frame listens, and shows the panel if that is open. */
  | { type: 'ready'; title: string }
  /** Says whether this browser has a conversation. */
  | { type: 'exists'; exists: boolean }
  /** `text` follows the launcher's name, in the visitor's language. */
  | { type: 'unread'; count: number; text: string }
  /** The visitor closed the panel. */
  | { type: 'close' }
  | { type: 'event'; name: 'sent' | 'received' }
  | { type: 'event'; name: 'error'; code: string }
