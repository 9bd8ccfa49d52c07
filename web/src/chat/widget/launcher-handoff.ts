// Shared by button, card and panel, so that the button does not load the others.

import type { ChatState } from '@proctorpass/shared/schemas/config'
import type { RefObject } from 'react'
import type { VisitorChat } from '../engine/chat.ts'
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

/** Where the panel stands: beside the launcher of our own pages, or in the frame of a site. */
export interface Surroundings {
  /** A hook: whether the panel covers the whole screen. */
  useSheet(panel: RefObject<HTMLElement | null>, onClose: () => void): boolean
  isSheet(): boolean
  /** A message came while the panel was closed. */
  onArrival(): void
}

export interface ChatPanelProps {
  id: string
  visitor: Visitor
  /** Default: our own page. */
  surroundings?: Surroundings
  onClose: () => void
  onSummary: (summary: ChatSummary) => void
  /** The running chat, then its successor; null once the panel is gone. */
  onChat?: (chat: VisitorChat | null) => void
}

/** Set in localStorage once this browser has a conversation: then the chat runs also while the panel is closed. */
export const EXISTS_KEY = 'chat:exists'

/** On screens narrower than 640 px or lower than 480 px the panel is a sheet over the whole page. */
export const SMALL_SCREEN = '(max-width: 39.99em), (max-height: 29.99em)'

export function isSmallScreen(): boolean {
  return matchMedia(SMALL_SCREEN).matches
}
