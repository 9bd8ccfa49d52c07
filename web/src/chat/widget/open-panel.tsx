import { X } from 'virtual:icons'
import launcher from 'virtual:words/launcher'
import inEnglish from 'virtual:words/panel'
import { type RefObject, useCallback, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { BRAND_TICK } from '../../components/brand-tick.ts'
import { Icon } from '../../components/icon.tsx'
import { withBrand } from '../../content/with-brand.ts'
import { CARD_KEY, readStorage, VISITOR_DRAFT } from '../../lib/browser-storage.ts'
import { embeddedSite } from '../../lib/embedded-site.ts'
import { listen } from '../../lib/listen.ts'
import { useLiveChat } from '../../lib/live-chat-store.ts'
import { pageState } from '../../lib/page-state.ts'
import type { PendingAttachment } from '../engine/attachments.ts'
import type { VisitorChat } from '../engine/chat.ts'
import type { ConversationState } from '../engine/types.ts'
import { inLanguage, useLanguage, useWords } from '../language/language.ts'
import { Composer, type ComposerHandle } from '../view/composer.tsx'
import { MessageList, type MessageListHandle } from '../view/message-list.tsx'
import { useAttach } from '../view/use-attach.tsx'
import { useConversation } from '../view/use-conversation.ts'
import { useLoaded } from '../view/use-loaded.ts'
import { ViewLanguageContext } from '../view/view-language.ts'
import { afterFrame } from './after-frame.ts'
import { useFreshChatState } from './chat-state.ts'
import { AwayMessage, Greeting } from './intro.tsx'
import type { Surroundings } from './launcher-handoff.ts'
import { usePreChat } from './profile/use-pre-chat.tsx'
import { isAway, Status } from './status.tsx'
import { More, useAnswerByMail, useRating } from './use-later.tsx'

const loadSuggestions = () => import('./suggest/suggestions.tsx')

interface OpenPanelProps {
  id: string
  chat: VisitorChat
  surroundings: Surroundings
  onClose: () => void
}

/** The dialog with header, messages, and composer. On a small screen it is a sheet over the whole page. */
export function OpenPanel({ id, chat, surroundings, onClose }: OpenPanelProps) {
  const { brand } = pageState().config
  const site = embeddedSite === null ? undefined : pageState().site
  const { conversation } = chat
  const words = useWords('panel', inEnglish)
  const { heading: title, greeting } = useWords('launcher', launcher)
  const language = useLanguage()
  const { tag, dir } = language
  const state = useConversation(conversation)
  const chatState = useFreshChatState()
  const from = site?.displayName || words.support
  const card = chatState?.cards.find(({ id }) => id === readStorage(CARD_KEY))
  const panel = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const list = useRef<MessageListHandle>(null)
  const composer = useRef<ComposerHandle>(null)
  const headingId = useId()
  const box = useCallback(() => composer.current?.box, [])
  const send = (message: string, files?: readonly PendingAttachment[]) => {
    conversation.send(message, files)
    list.current?.followNewest()
  }
  const preChat = usePreChat(chat, chatState, box, send)
  const notice = chatState?.files ? inLanguage(chatState.filesNotice, tag) : null
  const attach = useAttach(conversation, notice, VISITOR_DRAFT)
  const [hasTyped, setTyped] = useState(false)
  const suggest = useLoaded(loadSuggestions, hasTyped && chatState?.suggestions)
  useFocusOnOpen(panel, () => {
    // On a phone, focusing the message box would open the on-screen keyboard over the messages.
    if (surroundings.isSheet()) heading.current?.focus({ preventScroll: true })
    else composer.current?.focus()
  })
  // The sheet comes after the focus, which needs the layout that the sheet changes.
  const isSheet = surroundings.useSheet(panel, onClose)
  useEscape(panel, onClose)

  const rating = useRating(chat)
  const away = isAway(state.peerOnline, chatState)
  const answerByMail = useAnswerByMail(chat, chatState, away)
  const awayText = chatState && away && !chatState.open && inLanguage(chatState.away, tag)
  const awayMessage = awayText && <AwayMessage from={from} text={awayText} />
  const awayRow = !preChat.isNew && awayMessage && <li key="away">{awayMessage}</li>
  const answerSeq = answerSeqOf(state)

  return (
    <section
      ref={panel}
      id={id}
      lang={tag}
      dir={dir}
      className="chat-panel"
      role="dialog"
      aria-modal={isSheet || undefined}
      aria-labelledby={headingId}
      onPointerDown={chat.touch}
      onFocus={chat.touch}
    >
      {/* Header and footer elements would be a second banner and contentinfo on the page. */}
      <div className="chat-header">
        <svg className="icon chat-mark" viewBox="0 0 20 20" aria-hidden="true">
          <path d={BRAND_TICK} />
        </svg>
        <h2 ref={heading} id={headingId} tabIndex={-1}>
          {site?.displayName || withBrand(title, brand)}
        </h2>
        <div className="chat-actions">
          <More chat={chat} />
          <button type="button" className="icon-button" aria-label={words.close} onClick={onClose}>
            <Icon of={X} large />
          </button>
        </div>
        <Status chat={chat} loaded={state.loaded} online={state.peerOnline} state={chatState} />
        {chatState?.head?.(chatState)}
      </div>
      <ViewLanguageContext value={language}>
        <MessageList
          ref={list}
          conversation={conversation}
          side="visitor"
          onSeen={conversation.markSeen}
          label={words.messages}
          names={{ visitor: from, admin: from }}
          extras={(beforeSeq, rows) => {
            if (awayRow && beforeSeq === answerSeq) rows.push(awayRow)
          }}
          intro={
            <>
              <Greeting
                from={from}
                text={
                  (site && inLanguage(site.greeting, tag)) ||
                  (chatState && inLanguage((card ?? chatState).greeting, tag)) ||
                  greeting
                }
              />
              {preChat.isNew && awayMessage}
              {!state.loaded && <p className="chat-loading">{words.loading}</p>}
              {preChat.parts}
            </>
          }
          outro={
            <>
              {answerSeq === undefined && awayRow}
              {/* One question at a time: no answer is due to a resolved conversation. */}
              {rating ? <li key="rating">{rating}</li> : answerByMail && <li key="mail">{answerByMail}</li>}
            </>
          }
        />
        {suggest && chatState?.suggestions && <suggest.Suggestions conversation={conversation} box={box} />}
        <Composer
          ref={composer}
          draftKey={VISITOR_DRAFT}
          sending={preChat.isWaiting || state.pending.some((message) => message.state === 'sending')}
          refuse={preChat.refuse}
          attach={attach}
          onSend={send}
          onTyping={(typing) => {
            if (typing) {
              preChat.stopWaiting()
              setTyped(true)
            }
            conversation.setTyping(typing)
          }}
        />
      </ViewLanguageContext>
      <p className="chat-footer">{withBrand(words.footer, brand)}</p>
    </section>
  )
}

/**
 * Returns the seq of the message after the visitor's newest one, above which the away message stands. Returns undefined
 * if there is none.
 */
function answerSeqOf({ messages, pending }: ConversationState): number | undefined {
  if (pending.length > 0) return undefined
  const newestOwn = messages.findLastIndex(({ senderId, clientId }) => senderId === clientId)
  return messages[newestOwn + 1]?.seq
}

/**
 * Focuses the panel after the visitor opened it, unless one of its fields has the focus because a quick reply waits for
 * the field.
 */
function useFocusOnOpen(panel: RefObject<HTMLElement | null>, focus: () => void): void {
  const openedByUser = useLiveChat((live) => live.openedByUser)
  const focusPanel = useEffectEvent(focus)
  useEffect(() => {
    if (!openedByUser) return
    return afterFrame(() => {
      useLiveChat.setState({ openedByUser: false })
      if (!panel.current?.contains(document.activeElement)) focusPanel()
    })
  }, [openedByUser, panel])
}

/** Closes on Escape while the focus is inside the panel or nowhere. */
function useEscape(panel: RefObject<HTMLElement | null>, onClose: () => void): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return
    const { target } = event
    if (target === document.body || (target instanceof Node && panel.current?.contains(target))) onClose()
  })
  useEffect(() => listen(document, ['keydown'], (event) => handle(event)), [])
}
