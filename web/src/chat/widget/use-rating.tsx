import { type ReactNode, useState } from 'react'
import type { VisitorChat } from '../engine/chat.ts'
import { useConversation } from '../view/use-conversation.ts'
import { useLoaded } from '../view/use-loaded.ts'

const load = () => import('./later.ts')

/** The rating while the server asks for it, and then the thanks until the next message. */
export function useRating(chat: VisitorChat): ReactNode {
  const { ask, messages } = useConversation(chat.conversation)
  const newest = messages.at(-1)?.seq
  const [ratedAt, setRatedAt] = useState<number>()
  const shown = newest !== undefined && (ask === 'rating' || ratedAt === newest)
  const part = useLoaded(load, shown)
  return (
    shown && part && <part.Rating chat={chat} rated={ratedAt === newest} onRated={() => setRatedAt(newest)} />
  )
}
