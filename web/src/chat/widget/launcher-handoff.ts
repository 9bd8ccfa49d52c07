// Shared by button, card and panel, so that the button does not load the others.

import type { ChatState } from '@proctorpass/shared/schemas/config'
import type { Visitor } from '../engine/visitor.ts'

/** What the button shows of the conversation. */
export interface ChatSummary {
  hasMessages: boolean
  unread: number
  /** The newest unread message's text. */
  latest: string | null
}

export type CardState = Pick<ChatState, 'greeting' | 'quickReplies'>

export interface CardProps {
  /** Null: the greeting. */
  text: string | null
  state: CardState | null
  onClose: () => void
}

export interface ChatPanelProps {
  id: string
  visitor: Visitor
  onClose: () => void
  onSummary: (summary: ChatSummary) => void
}

/** Set in localStorage once this browser has a conversation: then the chat runs also while the panel is closed. */
export const EXISTS_KEY = 'chat:exists'

/** On screens narrower than 640 px or lower than 480 px the panel is a sheet over the whole page. */
export const SMALL_SCREEN = '(max-width: 39.99em), (max-height: 29.99em)'

export function isSmallScreen(): boolean {
  return matchMedia(SMALL_SCREEN).matches
}
