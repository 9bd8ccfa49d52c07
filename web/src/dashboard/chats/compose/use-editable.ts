import { EDIT_MS } from '@proctorpass/shared/limits'
import type { Message } from '@proctorpass/shared/schemas/chat'
import { useEffect, useState } from 'react'
import type { Conversation } from '../../../chat/engine/types.ts'
import { useConversation } from '../../../chat/view/use-conversation.ts'
import { serverNow } from '../../../lib/server-clock.ts'

/** Returns the message that this admin can correct: their own, while it is the newest, for EDIT_MS. Null without one. */
export function useEditable(conversation: Conversation, userId: string): Message | null {
  const { messages, pending, hasNewer } = useConversation(conversation)
  const newest = messages.at(-1)
  const isMine = newest?.senderId === userId && pending.length === 0 && !hasNewer
  const leftMs = isMine ? Date.parse(newest.createdAt) + EDIT_MS - serverNow() : 0
  const [, setNow] = useState(0)
  const ends = isMine ? newest.createdAt : null
  useEffect(() => {
    if (ends === null) return
    const timer = setTimeout(() => setNow(serverNow()), Math.max(0, Date.parse(ends) + EDIT_MS - serverNow()))
    return () => clearTimeout(timer)
  }, [ends])
  return isMine && leftMs > 0 ? newest : null
}
