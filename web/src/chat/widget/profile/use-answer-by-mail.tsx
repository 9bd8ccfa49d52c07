import type { ChatState } from '@proctorpass/shared/schemas/config'
import type { ReactNode } from 'react'
import type { VisitorChat } from '../../engine/chat.ts'
import { useConversation } from '../../view/use-conversation.ts'
import { useLoaded } from '../../view/use-loaded.ts'

const load = () => import('../later.ts')

/** What a visitor who has written is told about answers by mail, where they are mailed. */
export function useAnswerByMail(chat: VisitorChat, state: ChatState | null, away: boolean): ReactNode {
  const [first] = useConversation(chat.conversation).messages
  const shown = state?.mail === true && first !== undefined
  const part = useLoaded(load, shown)
  return shown && part && <part.AnswerByMail key={first.epoch} chat={chat} epoch={first.epoch} away={away} />
}
