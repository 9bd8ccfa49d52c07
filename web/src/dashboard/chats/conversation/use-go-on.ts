import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import { useEffect, useRef } from 'react'
import { useNavigate } from 'react-router'
import type { Conversation } from '../../../chat/engine/types.ts'
import { toast } from '../../../components/toast.ts'
import { useInboxChange } from '../changes/use-inbox-change.ts'
import { type Neighbors, useNeighbors } from './use-neighbors.ts'

/** A navigation's state. The next key press is then a shortcut, so the message box gets no focus. */
export const BY_SHORTCUT = { byShortcut: true }

/** The navigation state for moving to the next conversation after a change, whose notice stays. */
const AFTER_CHANGE = { ...BY_SHORTCUT, keepsNotice: true }

/** Returns a function that goes on to the conversation that waits the longest, once a change has been stored. */
export function useGoOn({ longestWaiting }: Pick<Neighbors, 'longestWaiting'>) {
  const navigate = useNavigate()
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => {
      isShown.current = false
    }
  }, [])

  /** `stored` resolves with whether the admin goes on. */
  return async (stored: Promise<boolean>): Promise<void> => {
    if (!(await stored) || !isShown.current) return
    if (longestWaiting === undefined) toast.info('No other conversations are waiting')
    else navigate(longestWaiting, { state: AFTER_CHANGE })
  }
}

/**
 * Returns a function that follows the newest pending message, whose status `then` is. Once the message is stored, it shows
 * the status and goes on, unless the admin has begun another message. A message that waits for its admin goes nowhere.
 */
export function useSentStatus(
  conversation: Conversation,
  summary: ConversationSummary | undefined,
  hasDraft: () => boolean,
) {
  const inbox = useInboxChange()
  const goOn = useGoOn(useNeighbors(conversation.clientId, summary))
  return (then: Then): void => {
    const nonce = conversation.getState().pending.at(-1)?.nonce
    if (nonce === undefined || summary === undefined) return
    const follow = async () => {
      if (!(await isStored(conversation, nonce))) return false
      await inbox.sent(summary, then)
      return !hasDraft()
    }
    void goOn(follow())
  }
}

/** Resolves when the message is stored, or to false when it waits for its admin or was erased. */
function isStored(conversation: Conversation, nonce: string): Promise<boolean> {
  return new Promise((resolve) => {
    const check = () => {
      const { pending, messages } = conversation.getState()
      const entry = pending.find((message) => message.nonce === nonce)
      if (entry?.state === 'sending') return
      unsubscribe()
      resolve(messages.some((message) => message.nonce === nonce))
    }
    const unsubscribe = conversation.subscribe(check)
    check()
  })
}
