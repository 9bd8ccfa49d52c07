// The button, the card, and the panel share this file, so that the button does not load the others.

import type { ChatState } from '@proctorpass/shared/schemas/config'
import type { RefObject } from 'react'
import type { VisitorChat } from '../engine/chat.ts'
import type { Visitor } from '../engine/visitor.ts'

/** What the button shows about the conversation. */
export interface ChatSummary {
  hasMessages: boolean
  unread: number
  /** Follows the button's name. Empty if nothing is unread. */
  unreadText?: string
  /** The newest unread message's text. */
  latest: string | null
}

export type CardState = Pick<ChatState, 'greeting' | 'quickReplies' | 'adminOnline'>

export interface CardProps {
  /** Null for the greeting. */
  text: string | null
  state: CardState | null
  onClose: () => void
}

/** The panel's place: beside our own pages' launcher, or in a site's frame. */
export interface Surroundings {
  /** A hook that returns whether the panel covers the whole screen. */
  useSheet(panel: RefObject<HTMLElement | null>, onClose: () => void): boolean
  isSheet(): boolean
  /** Called when a message came while the panel was closed. */
  onArrival(): void
}

export interface ChatPanelProps {
  id: string
  visitor: Visitor
  /** The default is our own page. */
  surroundings?: Surroundings
  onClose: () => void
  onSummary: (summary: ChatSummary) => void
  /** Called with the running chat, then with its successor, and with null once the panel is gone. */
  onChat?: (chat: VisitorChat | null) => void
}

/**
 * The localStorage key that is set once this browser has a conversation. The chat then runs even while the panel is
 * closed.
 */
export const EXISTS_KEY = 'chat:exists'

/** Matches screens narrower than 640 px or lower than 480 px, on which the panel is a sheet over the whole page. */
export const SMALL_SCREEN = '(max-width: 39.99em), (max-height: 29.99em)'

export function isSmallScreen(): boolean {
  return matchMedia(SMALL_SCREEN).matches
}
