import {
  type ReactNode,
  useCallback,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { toast } from '../../components/toast.ts'
import { chatCopy } from '../../content/chat.ts'
import { withBrand } from '../../content/with-brand.ts'
import { callApi } from '../../lib/api.ts'
import { writeStorage } from '../../lib/browser-storage.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { useLiveChat } from '../../lib/live-chat-store.ts'
import { pageState } from '../../lib/page-state.ts'
import { playChime, prepareChimes, setMuted, skipChime, useMuted } from '../alerts/sounds.ts'
import { setTitleBadge } from '../alerts/tab-title.ts'
import { createVisitorChat, type VisitorChat } from '../engine/chat.ts'
import type { Conversation, ConversationState } from '../engine/types.ts'
import { ensureVisitor as ensureVisitorIn, type Visitor } from '../engine/visitor.ts'
import { Composer, type ComposerHandle } from '../view/composer.tsx'
import { MessageList, type MessageListHandle } from '../view/message-list.tsx'
import { thisTab } from '../view/this-tab.ts'
import { useConversation, useLink } from '../view/use-conversation.ts'
import { channels } from './channels.ts'
import type { ChatPanelProps } from './launcher.tsx'
import { EXISTS_KEY, isSmallScreen, SMALL_SCREEN } from './launcher-handoff.ts'
import '../view/chat.css'

/** This browser's visitor. */
export const ensureVisitor = (): Promise<Visitor> => ensureVisitorIn(thisTab())

const NAMES = { visitor: 'You', admin: chatCopy.support }

/** The visitor's chat. It follows the conversation from its first render on, and shows it while it is open. */
export function ChatPanel({ id, visitor, onClose, onSummary }: ChatPanelProps) {
  const chat = useVisitorChat(visitor)
  const shown = useLiveChat((state) => state.shown === 'panel')
  const state = useConversation(chat.conversation)

  useEffect(() => followArrivals(chat), [chat])

  const exists = state.messages.length > 0 || state.pending.length > 0
  useEffect(() => {
    if (!exists) return
    writeStorage(EXISTS_KEY, 'true')
    return prepareChimes()
  }, [exists])

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

/**
 * A chat that runs. A visitor whom the server does not let into their conversation gets a new one, once: a server that
 * refuses this one too is not asked again and again.
 */
function useVisitorChat(visitor: Visitor): VisitorChat {
  const [chat, setChat] = useState(() =>
    createVisitorChat({ config: pageState().config.chat, tab: thisTab(), visitor, request: callApi }),
  )
  const startedOver = useRef(false)
  useEffect(() => {
    const stopListening = chat.onRefused(() => {
      if (startedOver.current) return
      startedOver.current = true
      void chat.startOver().then(setChat)
    })
    chat.start()
    return () => {
      stopListening()
      chat.stop()
    }
  }, [chat])
  return chat
}

/** What the other side wrote, and is new: it opens a closed panel, and is heard where it cannot be seen. */
function followArrivals(chat: VisitorChat): () => void {
  return chat.conversation.onArrived(({ messages, live }) => {
    const newest = messages.findLast((message) => message.senderId !== message.clientId)
    if (!live || !newest) return
    const { shown, show } = useLiveChat.getState()
    if (shown !== 'panel') {
      show(isSmallScreen() ? 'greeting' : 'panel')
      toast.info('You have a new message!')
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
    latest ??= message.message
  }
  return { count, latest }
}

function OpenPanel({ id, chat, onClose }: { id: string; chat: VisitorChat; onClose: () => void }) {
  const { brand } = pageState().config
  const { conversation } = chat
  const state = useConversation(conversation)
  const panel = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const list = useRef<MessageListHandle>(null)
  const composer = useRef<ComposerHandle>(null)
  const headingId = useId()
  const small = useSmallScreen()
  useSheet(panel, small)

  const openedByUser = useLiveChat((live) => live.openedByUser)
  useEffect(() => {
    if (!openedByUser) return
    useLiveChat.setState({ openedByUser: false })
    // On a phone the message box would bring the keyboard up over what there is to read.
    if (isSmallScreen()) heading.current?.focus()
    else composer.current?.focus()
  }, [openedByUser])
  useEscape(panel, onClose)

  return (
    <section
      ref={panel}
      id={id}
      className="chat-panel"
      role="dialog"
      aria-modal={small || undefined}
      aria-labelledby={headingId}
      onPointerDown={chat.touch}
      onFocus={chat.touch}
    >
      {/* Not header and footer: in a dialog they would be a second banner and contentinfo of the page. */}
      <div className="chat-header">
        <h2 ref={heading} id={headingId} tabIndex={-1}>
          {withBrand(chatCopy.heading, brand)}
        </h2>
        <div className="chat-actions">
          {(state.messages.length > 0 || state.pending.length > 0) && (
            <EraseButton conversation={conversation} />
          )}
          <MuteButton />
          <button type="button" className="chat-icon-button" aria-label="Close chat" onClick={onClose}>
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="M6 6l12 12m0-12L6 18" />
            </svg>
          </button>
        </div>
        <Status chat={chat} loaded={state.loaded} />
      </div>
      <MessageList
        ref={list}
        conversation={conversation}
        side="visitor"
        label="Messages"
        names={NAMES}
        intro={
          <>
            <Greeting />
            {!state.loaded && <p className="chat-loading">Loading chat...</p>}
          </>
        }
      />
      <Composer
        ref={composer}
        draftKey="draft:visitor"
        sending={state.pending.some((message) => message.state === 'sending')}
        onSend={(message) => {
          conversation.send(message)
          list.current?.toEnd()
        }}
        onTyping={(typing) => conversation.setTyping(typing)}
      />
      <p className="chat-footer">{withBrand(chatCopy.footer, brand)}</p>
    </section>
  )
}

function Status({ chat, loaded }: { chat: VisitorChat; loaded: boolean }) {
  const { connection, trouble } = useLink(chat.link)
  const connected = loaded && connection === 'connected'
  return (
    <div className="chat-status" role="status">
      <p className="chat-connection" data-connected={connected}>
        {connected ? 'Connected' : 'Connecting...'}
      </p>
      {trouble && <p className="chat-trouble">{trouble}</p>}
    </div>
  )
}

function Greeting() {
  const { contacts } = pageState().config
  const [hello, also] = chatCopy.greeting
  const ways = channels(contacts)
  return (
    <div className="chat-row chat-greeting">
      <div className="chat-bubble">
        <span className="visually-hidden">{`${chatCopy.support}: `}</span>
        <p>{hello}</p>
        {ways.length > 0 && <p>{also}</p>}
        <ul>
          {ways.map(({ name, text, href }) => (
            <li key={name}>
              <span>{name}</span>
              {href === null ? (
                <span>{text}</span>
              ) : (
                <a href={href} target="_blank" rel="noopener noreferrer">
                  {text}
                </a>
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

function EraseButton({ conversation }: { conversation: Conversation }): ReactNode {
  const [busy, setBusy] = useState(false)
  const erase = async () => {
    if (!window.confirm(chatCopy.eraseQuestion)) return
    setBusy(true)
    try {
      await conversation.erase()
      toast.success(chatCopy.erased)
    } catch (error) {
      toast.error(errorMessage(error))
    }
    setBusy(false)
  }
  return (
    <button
      type="button"
      className="chat-icon-button"
      aria-label="Erase this conversation"
      disabled={busy}
      onClick={erase}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12" />
      </svg>
    </button>
  )
}

function MuteButton(): ReactNode {
  const muted = useMuted()
  return (
    <button
      type="button"
      className="chat-icon-button"
      aria-label="Mute sounds"
      aria-pressed={muted}
      onClick={() => setMuted(!muted)}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M4 9.500h3.500L12 6v12l-4.500-3.500H4z" />
        {muted ? (
          <path d="M16 9.500l5 5m0-5l-5 5" />
        ) : (
          <path d="M15.500 9a4.500 4.500 0 0 1 0 6m2.500-8.500a8 8 0 0 1 0 11" />
        )}
      </svg>
    </button>
  )
}

function useSmallScreen(): boolean {
  const subscribe = useCallback((listener: () => void) => {
    const query = matchMedia(SMALL_SCREEN)
    query.addEventListener('change', listener)
    return () => query.removeEventListener('change', listener)
  }, [])
  return useSyncExternalStore(subscribe, isSmallScreen)
}

/** As a sheet, the panel fills what the on-screen keyboard leaves, and the page behind it neither scrolls nor speaks. */
function useSheet(panel: React.RefObject<HTMLElement | null>, small: boolean): void {
  useEffect(() => {
    const element = panel.current
    if (!small || !element) return
    const behind = [...(element.parentElement?.children ?? [])].filter(
      (sibling) => sibling !== element && !sibling.hasAttribute('inert'),
    )
    for (const sibling of behind) sibling.setAttribute('inert', '')
    document.documentElement.classList.add('chat-sheet-open')
    const stopFitting = fitVisualViewport(element)
    return () => {
      stopFitting()
      document.documentElement.classList.remove('chat-sheet-open')
      for (const sibling of behind) sibling.removeAttribute('inert')
    }
  }, [panel, small])
}

function fitVisualViewport(element: HTMLElement): () => void {
  const viewport = window.visualViewport
  if (!viewport) return () => {}
  const fit = () => {
    // Zoomed in with two fingers, the sheet stays as large as it was.
    const zoomed = viewport.scale > 1.01
    element.style.setProperty('--chat-height', zoomed ? '' : `${viewport.height}px`)
    element.style.setProperty('--chat-top', zoomed ? '' : `${viewport.offsetTop}px`)
  }
  fit()
  viewport.addEventListener('resize', fit)
  viewport.addEventListener('scroll', fit)
  return () => {
    viewport.removeEventListener('resize', fit)
    viewport.removeEventListener('scroll', fit)
    element.style.removeProperty('--chat-height')
    element.style.removeProperty('--chat-top')
  }
}

/** Escape closes the panel from inside it, and from a page on which nothing has the focus. */
function useEscape(panel: React.RefObject<HTMLElement | null>, onClose: () => void): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
    const { target } = event
    if (target === document.body || (target instanceof Node && panel.current?.contains(target))) onClose()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => handle(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
}
