import unreadInEnglish from 'virtual:words/launcher.unread'
import panel from 'virtual:words/panel'
import { AppError } from '@proctorpass/shared/errors'
import { messageSummary } from '@proctorpass/shared/message-summary'
import { useEffect, useRef, useState } from 'react'
import { callApi } from '../../lib/api.ts'
import { writeStorage } from '../../lib/browser-storage.ts'
import { embeddedSite } from '../../lib/embedded-site.ts'
import { useLiveChat } from '../../lib/live-chat-store.ts'
import { pageState } from '../../lib/page-state.ts'
import { MESSAGE_CHIME, playChime, prepareChimes, skipChime } from '../alerts/sounds.ts'
import { useTitleBadge } from '../alerts/use-title-badge.ts'
import type { OpenAttachments } from '../engine/attachments.ts'
import { createVisitorChat, type VisitorChat } from '../engine/chat.ts'
import type { ConversationState } from '../engine/types.ts'
import { ensureVisitor as ensureVisitorIn, type Visitor } from '../engine/visitor.ts'
import { fill } from '../language/fill.ts'
import { useLanguage } from '../language/language.ts'
import { loadFiles } from '../view/load-files.ts'
import { thisTab } from '../view/this-tab.ts'
import { useConversation } from '../view/use-conversation.ts'
import { useFormatting } from '../view/use-formatting.ts'
import { firstChatState } from './chat-state.ts'
import { chatToast } from './chat-toast.ts'
import { type ChatPanelProps, EXISTS_KEY, isSmallScreen, type Surroundings } from './launcher-handoff.ts'
import { OpenPanel } from './open-panel.tsx'
import { useSheet } from './use-sheet.ts'
import '../view/chat.css'

/** Does what `callApi` does, with errors in the visitor's language. */
const request: typeof callApi = (path, options) =>
  callApi<never>(path, options).catch((error: unknown) => {
    throw error instanceof AppError ? new AppError(error.code, textOf(error), error) : error
  })

/** Returns what to tell the visitor. Without translated words, that is the server's text, in English. */
function textOf({ code, cause, message }: AppError): string {
  // This cause is a file's error, because of which the message was not sent.
  if (cause instanceof AppError) return textOf(cause)
  // Any other cause means that no server answered.
  if (cause !== undefined) return ownWords().unreachable
  const text = useLanguage.getState().words?.refusals[code]
  return text ? fill(text, pageState().config) : message
}

/** Returns this browser's visitor. */
export async function ensureVisitor(): Promise<Visitor> {
  const [visitor] = await Promise.all([ensureVisitorIn(thisTab()), firstChatState()])
  return visitor
}

/** The visitor's chat, which runs from the first render on and shows the panel while it is open. */
export function ChatPanel({
  id,
  visitor,
  surroundings = ownPage,
  onClose,
  onSummary,
  onChat,
}: ChatPanelProps) {
  const chat = useVisitorChat(visitor)
  const shown = useLiveChat((state) => state.shown === 'panel')
  const state = useConversation(chat.conversation)

  useEffect(() => announceArrivals(chat, surroundings), [chat, surroundings])

  useEffect(() => {
    onChat?.(chat)
    return () => onChat?.(null)
  }, [chat, onChat])

  const exists = state.messages.length > 0 || state.pending.length > 0
  useEffect(() => {
    if (!exists) return
    writeStorage(EXISTS_KEY, 'true')
    return prepareChimes()
  }, [exists])

  const epoch = state.messages[0]?.epoch
  useEffect(() => {
    if (epoch === undefined) return
    void import('./profile/trail.ts').then((trail) => trail.followPages(chat, epoch)).catch(() => {})
  }, [chat, epoch])

  const { count, latest: typed } = unreadOf(state)
  const { locale, words } = useLanguage()
  const unreadText = count > 0 ? fill(words?.launcher.unread ?? unreadInEnglish, { count }, locale) : ''
  const latest = useFormatting(typed ?? '')?.withoutMarks(typed ?? '') ?? typed
  useEffect(() => {
    onSummary({ hasMessages: exists, unread: count, unreadText, latest })
  }, [onSummary, exists, count, unreadText, latest])
  useTitleBadge(count)

  return shown ? <OpenPanel id={id} chat={chat} surroundings={surroundings} onClose={onClose} /> : null
}

const openAttachments: OpenAttachments = async (visitor) =>
  (await loadFiles()).openVisitorAttachments(visitor)

/** Returns a running chat. If the server refuses the visitor's key, the chat starts over once with a new visitor. */
function useVisitorChat(visitor: Visitor): VisitorChat {
  const [chat, setChat] = useState(() =>
    createVisitorChat({
      config: pageState().config.chat,
      tab: thisTab(),
      visitor,
      site: embeddedSite,
      request,
      textOf,
      openAttachments,
    }),
  )
  const startedOver = useRef(false)
  useEffect(() => {
    const unsubscribe = chat.onRefused(() => {
      if (startedOver.current) return
      startedOver.current = true
      void chat.startOver().then(setChat)
    })
    // The timer starts the chat in its own task, after the panel's first frame.
    const timer = setTimeout(() => chat.start())
    return () => {
      clearTimeout(timer)
      unsubscribe()
      chat.stop()
    }
  }, [chat])
  return chat
}

const ownPage: Surroundings = {
  useSheet,
  isSheet: isSmallScreen,
  onArrival() {
    useLiveChat.getState().show(isSmallScreen() ? 'card' : 'panel')
    chatToast('info', ownWords().newMessage)
  },
}

/** Announces the other side's new messages, and plays a sound unless the panel is visible. */
function announceArrivals(chat: VisitorChat, { onArrival }: Surroundings): () => void {
  return chat.conversation.onArrived(({ messages, live }) => {
    const newest = messages.findLast((message) => message.senderId !== message.clientId)
    if (!live || !newest) return
    if (useLiveChat.getState().shown !== 'panel') {
      onArrival()
      playChime(MESSAGE_CHIME, newest._id)
    } else if (document.visibilityState === 'hidden') playChime(MESSAGE_CHIME, newest._id)
    else skipChime(MESSAGE_CHIME, newest._id)
  })
}

const ownWords = () => useLanguage.getState().words?.panel ?? panel

function unreadOf({ messages, read }: ConversationState): { count: number; latest: string | null } {
  const unread = messages.filter(({ seq, senderId, clientId }) => seq > read.visitor && senderId !== clientId)
  const newest = unread.at(-1)
  return { count: unread.length, latest: newest ? messageSummary(newest, ownWords().photo) : null }
}
