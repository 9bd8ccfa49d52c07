import { create } from 'zustand'
import { readStored, writeStored } from './browser-storage.ts'

const KEY = 'liveChat'
/** A press this soon after the chat opened by itself was aimed at the closed one. */
const AIMED_MS = 500

interface LiveChat {
  /** Whether the panel is open, or wants to be once the page is idle. */
  open: boolean
  /**
   * What of it is on screen: nothing before the page is idle, and on a small screen only the greeting until somebody
   * asks for more.
   */
  shown: 'nothing' | 'greeting' | 'panel'
  /** A person asked for the panel: it may take the focus. */
  asked: boolean
  /** For a person's press: opens what they cannot see yet, closes what they see. */
  toggle(): void
  setOpen(open: boolean): void
  /** Opens without being asked. */
  show(shown: 'greeting' | 'panel'): void
}

let shownAt = Number.NEGATIVE_INFINITY

export const useLiveChat = create<LiveChat>((set, get) => ({
  open: true,
  shown: 'nothing',
  asked: false,
  toggle: () => get().setOpen(get().shown !== 'panel' || performance.now() - shownAt < AIMED_MS),
  setOpen(open) {
    set({ open, shown: open ? 'panel' : 'nothing', asked: open })
    writeStored(KEY, open ? null : 'false')
  },
  show(shown) {
    shownAt = performance.now()
    set({ open: true, shown, asked: false })
    writeStored(KEY, null)
  },
}))

// Set after creation, so that hydration still finds the value that the server rendered with.
if (typeof window !== 'undefined' && readStored(KEY) === 'false') useLiveChat.setState({ open: false })
