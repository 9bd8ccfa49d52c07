import { create } from 'zustand'
import { readStorage, writeStorage } from './browser-storage.ts'

/**
 * The ID of a popover that the server renders. A Live Chat button opens it until the chat's button has loaded, which
 * then opens the chat.
 */
export const LIVE_CHAT_PRESSED_ID = 'live-chat-pressed'

const KEY = 'liveChat'
/** If the panel opened by itself less than this time ago, a press was meant to open it. */
const MEANT_TO_OPEN_MS = 500

interface LiveChat {
  /** Whether the chat is open, or will open once the page is idle. */
  open: boolean
  /**
   * The part on screen: nothing before the page is idle, a card if the chat opened by itself, and only the button if a
   * card would cover what visitors use on the page.
   */
  shown: 'nothing' | 'button' | 'card' | 'panel'
  /** Whether the chat's button has loaded. The popover with `LIVE_CHAT_PRESSED_ID` is then gone. */
  loaded: boolean
  /** Whether the user opened the panel, which may then take the focus. */
  openedByUser: boolean
  /** A quick reply that the visitor pressed on the card, until the panel has taken it. */
  quickReply: string | null
  /** Handles a press of the button: opens the panel unless it is visible. */
  toggle(): void
  setOpen(open: boolean): void
  /**
   * Opens the chat without a press. An open panel stays, because an effect may call this only after the visitor has
   * pressed the button.
   */
  show(shown: 'card' | 'panel'): void
  /** Hides the card until the next message or page. The chat stays open. */
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

/** Returns whether the visitor has opened the panel before and not closed it. */
export function leftOpen(): boolean {
  return readStorage(KEY) === 'true'
}

// This is set after creation, because the initial state must match the server's HTML for hydration.
if (typeof window !== 'undefined' && readStorage(KEY) === 'false') useLiveChat.setState({ open: false })
