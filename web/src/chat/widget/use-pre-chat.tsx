import type { ChatState } from '@proctorpass/shared/schemas/config'
import { type ReactNode, useRef } from 'react'
import { readStorage } from '../../lib/browser-storage.ts'
import type { VisitorChat } from '../engine/chat.ts'
import { useWords } from '../language/language.ts'
import { useConversation } from '../view/use-conversation.ts'
import { panel } from '../words/en.ts?panel'
import { EXISTS_KEY } from './launcher-handoff.ts'
import type { PreChatHandle } from './pre-chat.tsx'
import type { Asked } from './profile-fields.tsx'
import { usePart } from './use-part.ts'

/** What a visitor is asked before the first message: the fields, and whether a message may be sent. */
export function usePreChat(
  chat: VisitorChat,
  state: ChatState | null,
  onEnter: () => void,
): { isNew: boolean; fields: ReactNode; refuse: () => string | null } {
  const words = useWords('panel', panel)
  const { loaded, messages, pending } = useConversation(chat.conversation)
  const handle = useRef<PreChatHandle>(null)
  const isNew = messages.length === 0 && pending.length === 0 && (loaded || readStorage(EXISTS_KEY) === null)
  const asked = Object.entries(state?.preChat ?? {}).filter(([, how]) => how !== 'off')
  const isAsked = isNew && asked.length > 0
  const { part, retry } = usePart(isAsked, () => import('./pre-chat.tsx'))
  return {
    isNew,
    fields: isAsked && part && (
      <part.PreChat ref={handle} chat={chat} asked={Object.fromEntries(asked) as Asked} onEnter={onEnter} />
    ),
    refuse() {
      if (!isAsked) return null
      if (handle.current) return handle.current.take() ? null : words.preChatMissing
      if (!asked.some(([, how]) => how === 'required')) return null
      retry()
      return words.loadFailed
    },
  }
}
