import { AppError } from '@proctorpass/shared/errors'
import { messageSummary } from '@proctorpass/shared/message-summary'
import { useEffect, useRef, useState } from 'react'
import { toast } from '../../components/toast.ts'
import { callApi } from '../../lib/api.ts'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'
import { useLiveChat } from '../../lib/live-chat-store.ts'
import { pageState } from '../../lib/page-state.ts'
import { playChime, prepareChimes, skipChime } from '../alerts/sounds.ts'
import { setTitleBadge } from '../alerts/tab-title.ts'
import { createVisitorChat, type VisitorChat } from '../engine/chat.ts'
import type { OpenFiles } from '../engine/files.ts'
import type { ConversationState } from '../engine/types.ts'
import {
  adoptVisitor as adoptIn,
  ensureVisitor as ensureVisitorIn,
  storedVisitor,
  type Visitor,
} from '../engine/visitor.ts'
import { useLanguage } from '../language/language.ts'
import { thisTab } from '../view/this-tab.ts'
import { useConversation } from '../view/use-conversation.ts'
import { panel } from '../words/en.ts?panel'
import { firstChatState } from './chat-state.ts'
import { type ChatPanelProps, EXISTS_KEY, isSmallScreen } from './launcher-handoff.ts'
import { OpenPanel } from './open-panel.tsx'
import '../view/chat.css'

/** As `callApi`, with a missing answer worded in the visitor's language; the server's texts stay English. */
const request: typeof callApi = (path, options) =>
  callApi<never>(path, options).catch((error: unknown) => {
    // With a cause: no server answered.
    if (!(error instanceof AppError) || error.cause === undefined) throw error
    const words = useLanguage.getState().words?.panel ?? panel
    const { code, cause, retryAfterMs } = error
    throw new AppError(code, words.unreachable, { cause, retryAfterMs })
  })

/** This browser's visitor. */
export async function ensureVisitor(): Promise<Visitor> {
  const [visitor] = await Promise.all([ensureVisitorIn(thisTab()), firstChatState()])
  return visitor
}

/** Continues another conversation in this browser, with what was said there. */
export async function adoptVisitor(visitor: Visitor & { key: string }): Promise<void> {
  await adoptIn(visitor, thisTab())
  void loadProfile()
    .then(({ adoptProfile }) => adoptProfile(visitor))
    .catch(() => {})
}

const loadProfile = () => import('./profile.ts')

/** Whether this browser has a conversation other than this one, which adopting it would replace. */
export function hasOtherConversation(clientId: string): boolean {
  const stored = storedVisitor(thisTab())
  return stored !== null && stored.clientId !== clientId && readStorage(EXISTS_KEY) !== null
}

/** The visitor's chat: runs from the first render on and shows the panel while it is open. */
export function ChatPanel({ id, visitor, onClose, onSummary }: ChatPanelProps) {
  const chat = useVisitorChat(visitor)
  const shown = useLiveChat((state) => state.shown === 'panel')
  const state = useConversation(chat.conversation)

  useEffect(() => announceArrivals(chat), [chat])

  const exists = state.messages.length > 0 || state.pending.length > 0
  useEffect(() => {
    if (!exists) return
    writeStorage(EXISTS_KEY, 'true')
    return prepareChimes()
  }, [exists])

  const epoch = state.messages[0]?.epoch
  useEffect(() => {
    if (epoch === undefined) return
    void loadProfile()
      .then(({ reportSoon }) => reportSoon(chat, epoch))
      .catch(() => {})
  }, [chat, epoch])

  const { count, latest } = unreadOf(state)
  useEffect(() => {
    onSummary({ hasMessages: exists, unread: count, latest })
  }, [onSummary, exists, count, latest])
  useEffect(() => {
    setTitleBadge(count)
    return () => setTitleBadge(0)
  }, [count])

  return shown ? <OpenPanel id={id} chat={chat} onClose={onClose} /> : null
}

const openFiles: OpenFiles = async (visitor) =>
  (await import('../view/files/open-files.ts')).openVisitorFiles(visitor)

/** A running chat. When the server refuses the visitor's key, it starts over with a new visitor, once. */
function useVisitorChat(visitor: Visitor): VisitorChat {
  const [chat, setChat] = useState(() =>
    createVisitorChat({ config: pageState().config.chat, tab: thisTab(), visitor, request, openFiles }),
  )
  const startedOver = useRef(false)
  useEffect(() => {
    const unsubscribe = chat.onRefused(() => {
      if (startedOver.current) return
      startedOver.current = true
      void chat.startOver().then(setChat)
    })
    // A task of its own, after the panel's first frame.
    const timer = setTimeout(() => chat.start())
    return () => {
      clearTimeout(timer)
      unsubscribe()
      chat.stop()
    }
  }, [chat])
  return chat
}

/** Announces new messages of the other side: opens a closed panel, and plays a sound unless the panel is visible. */
function announceArrivals(chat: VisitorChat): () => void {
  return chat.conversation.onArrived(({ messages, live }) => {
    const newest = messages.findLast((message) => message.senderId !== message.clientId)
    if (!live || !newest) return
    const { shown, show } = useLiveChat.getState()
    if (shown !== 'panel') {
      show(isSmallScreen() ? 'greeting' : 'panel')
      toast.info((useLanguage.getState().words?.panel ?? panel).newMessage)
      playChime('message', newest._id)
    } else if (document.visibilityState === 'hidden') playChime('message', newest._id)
    else skipChime('message', newest._id)
  })
}

function unreadOf({ messages, read }: ConversationState): { count: number; latest: string | null } {
  let count = 0
  let latest: string | null = null
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index]
    if (!message || message.seq <= read.visitor) break
    if (message.senderId === message.clientId) continue
    count++
    latest ??= messageSummary(message, (useLanguage.getState().words?.panel ?? panel).photo)
  }
  return { count, latest }
}
