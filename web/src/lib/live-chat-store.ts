import { create } from 'zustand'
import { readStorage, writeStorage } from './browser-storage.ts'

/** The id of a served popover. A Live Chat button opens it until the chat's button has loaded, which then opens the chat. */
export const LIVE_CHAT_PRESSED_ID = 'live-chat-pressed'

const KEY = 'liveChat'
/** A press this soon after the panel opened by itself was meant to open it. */
const MEANT_TO_OPEN_MS = 500

interface LiveChat {
  /** Whether the chat is open, or will open once the page is idle. */
  open: boolean
  /**
   * The part on screen: none before the page is idle; a card when the chat opened by itself; only the button where the
   * card would cover what the page is used with.
   */
  shown: 'nothing' | 'button' | 'card' | 'panel'
  /** The chat's button has loaded: the popover of `LIVE_CHAT_PRESSED_ID` is gone. */
  loaded: boolean
  /** The user opened the panel: it may take the focus. */
  openedByUser: boolean
  /** A quick reply that was pressed on the card, until the panel has taken it. */
  quickReply: string | null
  /** For a press of the button: opens the panel unless it is visible. */
  toggle(): void
  setOpen(open: boolean): void
  /** Opens without a press of the user. An open panel stays: an effect may ask only after a press. */
  show(shown: 'card' | 'panel'): void
  /** Takes the card away until the next message or page; the chat stays open. */
  fold(): void
}

let shownAt = Number.NEGATIVE_INFINITY

export const useLiveChat = create<LiveChat>((set, get) => ({
  open: true,
  shown: 'nothing',
  loaded: false,
  openedByUser: false,
  quickReply: null,
  toggle: () => get().setOpen(get().shown !== 'panel' || performance.now() - shownAt < MEANT_TO_OPEN_MS),
  setOpen(open) {
    set({ open, shown: open ? 'panel' : 'nothing', openedByUser: open })
    writeStorage(KEY, String(open))
  },
  show(shown) {
    if (get().shown === 'panel') return
    shownAt = performance.now()
    if (!get().open) writeStorage(KEY, null)
    set({ open: true, shown, openedByUser: false })
  },
  fold: () => set({ shown: 'button' }),
}))

/** Whether the visitor has opened the panel before, and not closed it. */
export function leftOpen(): boolean {
  return readStorage(KEY) === 'true'
}

// Set after creation: the initial state must match the server's HTML for hydration.
if (typeof window !== 'undefined' && readStorage(KEY) === 'false') useLiveChat.setState({ open: false })
