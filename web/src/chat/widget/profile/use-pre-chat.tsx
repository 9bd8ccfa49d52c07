import panel from 'virtual:words/panel'
import type { ChatState } from '@proctorpass/shared/schemas/config'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { readStorage } from '../../../lib/browser-storage.ts'
import type { VisitorChat } from '../../engine/chat.ts'
import { useWords } from '../../language/language.ts'
import { useConversation } from '../../view/use-conversation.ts'
import { refreshChatState } from '../chat-state.ts'
import { chatToast } from '../chat-toast.ts'
import { EXISTS_KEY } from '../launcher-handoff.ts'
import { loadLater } from '../use-later.tsx'
import type { PreChatHandle } from './pre-chat.tsx'
import type { Asked } from './profile-fields.tsx'

/** Returns what a visitor is asked before the first message: the fields, and whether a message may be sent. */
export function usePreChat(
  chat: VisitorChat,
  state: ChatState | null,
  /** Returns the message box. */
  box: () => HTMLTextAreaElement | null | undefined,
  send: (text: string) => void,
): {
  isNew: boolean
  /** The parts above the message box: texts to send with one press, and the fields. */
  parts: ReactNode
  /** Whether a message waits until it is known what to ask. */
  isWaiting: boolean
  /** Call this when the message is changed and no longer waits. */
  stopWaiting: () => void
  /** Returns an empty text if the message waits, or if a focused field says why it is refused. */
  refuse: () => string | null
} {
  const words = useWords('panel', panel)
  const { loaded, messages, pending } = useConversation(chat.conversation)
  const handle = useRef<PreChatHandle>(null)
  const isNew = messages.length === 0 && pending.length === 0 && (loaded || readStorage(EXISTS_KEY) === null)
  const asked = Object.entries(state?.preChat ?? {}).filter(([, how]) => how !== 'off')
  const hasTexts = Object.values(state?.quickReplies ?? {}).some(({ length }) => length > 0)
  const isUsed = isNew && (hasTexts || asked.length > 0)
  const [form, setForm] = useState<Awaited<ReturnType<typeof loadLater>> | null>(null)
  useEffect(() => {
    if (isUsed && !form) loadLater().then(setForm, () => {})
  }, [isUsed, form])
  const [isWaiting, setWaiting] = useState(false)
  const gaveUp = useGiveUp(isWaiting && state === null)
  const isKnown =
    !isNew || (state === null ? gaveUp : form !== null || !asked.some(([, how]) => how === 'required'))

  const submit = () => box()?.form?.requestSubmit()
  const submitNow = useEffectEvent(() => {
    setWaiting(false)
    submit()
  })
  useEffect(() => {
    if (isWaiting && isKnown) submitNow()
  }, [isWaiting, isKnown])

  function refuse(): string | null {
    setWaiting(!isKnown)
    if (isKnown) return handle.current?.take() === false ? '' : null
    if (state !== null) {
      loadLater().then(setForm, () => {
        setWaiting(false)
        chatToast('error', words.loadFailed)
      })
    }
    return ''
  }

  return {
    isNew,
    parts: state && isUsed && form && (
      <>
        <form.QuickReplies texts={state.quickReplies} box={box} onSend={(text) => refuse() ?? send(text)} />
        {asked.length > 0 && (
          <form.PreChat
            ref={handle}
            chat={chat}
            asked={Object.fromEntries(asked) as Asked}
            onEnter={submit}
          />
        )}
      </>
    ),
    isWaiting,
    stopWaiting: () => setWaiting(false),
    refuse,
  }
}

/** Returns true after one more read has failed, because a message matters more than a form, and the outbox keeps it. */
function useGiveUp(isWaiting: boolean): boolean {
  const [gaveUp, setGaveUp] = useState(false)
  useEffect(() => {
    if (!isWaiting) return
    let isOver = false
    void refreshChatState().then(() => !isOver && setGaveUp(true))
    return () => {
      isOver = true
    }
  }, [isWaiting])
  return gaveUp
}
