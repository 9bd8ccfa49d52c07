import { create } from 'zustand'
import { readStorage, writeStorage } from './browser-storage.ts'

/** The id of a served popover. A Live Chat button opens it until the chat's button has loaded, which then opens the chat. */
export const LIVE_CHAT_PRESSED_ID = 'live-chat-pressed'

const KEY = 'liveChat'
/** A press this soon after the panel opened by itself was meant to open it. */
const MEANT_TO_OPEN_MS = 500

interface LiveChat {
  /** Whether the panel is open, or will open once the page is idle. */
  open: boolean
  /** What is on screen: nothing before the page is idle; on a small screen only the greeting until it is pressed. */
  shown: 'nothing' | 'greeting' | 'panel'
  /** The chat's button has loaded: the popover of `LIVE_CHAT_PRESSED_ID` is gone. */
  loaded: boolean
  /** The user opened the panel: it may take the focus. */
  openedByUser: boolean
  /** For a press of the button: opens the panel unless it is visible. */
  toggle(): void
  setOpen(open: boolean): void
  /** Opens without a press of the user. */
  show(shown: 'greeting' | 'panel'): void
}

let shownAt = Number.NEGATIVE_INFINITY

export const useLiveChat = create<LiveChat>((set, get) => ({
  open: true,
  shown: 'nothing',
  loaded: false,
  openedByUser: false,
  toggle: () => get().setOpen(get().shown !== 'panel' || performance.now() - shownAt < MEANT_TO_OPEN_MS),
  setOpen(open) {
    set({ open, shown: open ? 'panel' : 'nothing', openedByUser: open })
    writeStorage(KEY, open ? null : 'false')
  },
  show(shown) {
    shownAt = performance.now()
    set({ open: true, shown, openedByUser: false })
    writeStorage(KEY, null)
  },
}))

// Set after creation: the initial state must match the server's HTML for hydration.
if (typeof window !== 'undefined' && readStorage(KEY) === 'false') useLiveChat.setState({ open: false })
