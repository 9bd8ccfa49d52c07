import { create } from 'zustand'
import { readStored, writeStored } from './stored.ts'

const KEY = 'liveChat'

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

export const useLiveChat = create<LiveChat>((set, get) => ({
  open: true,
  shown: 'nothing',
  asked: false,
  toggle: () => get().setOpen(get().shown !== 'panel'),
  setOpen(open) {
    set({ open, shown: open ? 'panel' : 'nothing', asked: open })
    writeStored(KEY, open ? null : 'false')
  },
  show(shown) {
    set({ open: true, shown, asked: false })
    writeStored(KEY, null)
  },
}))

// Set after creation, so that hydration still finds the value that the server rendered with.
if (typeof window !== 'undefined' && readStored(KEY) === 'false') useLiveChat.setState({ open: false })
