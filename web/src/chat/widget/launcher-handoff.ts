// Shared by button and panel, so that the button does not load the panel.

import type { Visitor } from '../engine/visitor.ts'

/** What the button shows of the conversation. */
export interface ChatSummary {
  hasMessages: boolean
  unread: number
  /** The newest unread message's text. */
  latest: string | null
}

export interface ChatPanelProps {
  id: string
  visitor: Visitor
  onClose: () => void
  onSummary: (summary: ChatSummary) => void
}

/** Set in localStorage once this browser has a conversation: then the chat runs also while the panel is closed. */
export const EXISTS_KEY = 'chat:exists'

/** Below 640 px the panel is a sheet over the whole page. */
export const SMALL_SCREEN = '(max-width: 39.99em)'

export function isSmallScreen(): boolean {
  return matchMedia(SMALL_SCREEN).matches
}
