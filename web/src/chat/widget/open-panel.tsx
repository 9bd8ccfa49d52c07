import { type RefObject, useEffect, useEffectEvent, useId, useMemo, useRef } from 'react'
import { useMedia } from '../../components/use-media.ts'
import { withBrand } from '../../content/with-brand.ts'
import { useLiveChat } from '../../lib/live-chat-store.ts'
import { pageState } from '../../lib/page-state.ts'
import type { VisitorChat } from '../engine/chat.ts'
import { useLanguage, useWords } from '../language/language.ts'
import { Composer, type ComposerHandle } from '../view/composer.tsx'
import { MessageList, type MessageListHandle } from '../view/message-list.tsx'
import { useConversation, useLinkState } from '../view/use-conversation.ts'
import { ViewLanguageContext } from '../view/view-language.ts'
import { panel as inEnglish } from '../words/en.ts?panel'
import { view } from '../words/en.ts?view'
import { afterFrame } from './after-frame.ts'
import { channels } from './channels.ts'
import { isSmallScreen, SMALL_SCREEN } from './launcher-handoff.ts'
import { More } from './more.tsx'
import { useSheet } from './use-sheet.ts'

/** The dialog: header, messages and composer. A sheet over the whole page on a small screen. */
export function OpenPanel({ id, chat, onClose }: { id: string; chat: VisitorChat; onClose: () => void }) {
  const { brand } = pageState().config
  const { conversation } = chat
  const words = useWords('panel', inEnglish)
  const { tag, locale, words: others } = useLanguage()
  const language = useMemo(
    () => ({ words: others?.view ?? view, locale, timeLang: undefined }),
    [others, locale],
  )
  const state = useConversation(conversation)
  const panel = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const list = useRef<MessageListHandle>(null)
  const composer = useRef<ComposerHandle>(null)
  const headingId = useId()
  const small = useMedia(SMALL_SCREEN)
  const openedByUser = useLiveChat((live) => live.openedByUser)
  useEffect(() => {
    if (!openedByUser) return
    return afterFrame(() => {
      useLiveChat.setState({ openedByUser: false })
      // On a phone the message box would open the on-screen keyboard over the messages.
      if (isSmallScreen()) heading.current?.focus({ preventScroll: true })
      else composer.current?.focus()
    })
  }, [openedByUser])
  // After the focus, which needs the layout that this changes.
  useSheet(panel, small, onClose)
  useEscape(panel, onClose)

  return (
    <section
      ref={panel}
      id={id}
      lang={tag}
      dir={others?.launcher.dir}
      className="chat-panel"
      role="dialog"
      aria-modal={small || undefined}
      aria-labelledby={headingId}
      onPointerDown={chat.touch}
      onFocus={chat.touch}
    >
      {/* Not header and footer elements: they would be a second banner and contentinfo of the page. */}
      <div className="chat-header">
        <h2 ref={heading} id={headingId} tabIndex={-1}>
          {withBrand(words.heading, brand)}
        </h2>
        <div className="chat-actions">
          <More chat={chat} />
          <button type="button" className="chat-icon-button" aria-label={words.close} onClick={onClose}>
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="M6 6l12 12m0-12L6 18" />
            </svg>
          </button>
        </div>
        <Status chat={chat} loaded={state.loaded} online={state.peerOnline} />
      </div>
      <ViewLanguageContext value={language}>
        <MessageList
          ref={list}
          conversation={conversation}
          side="visitor"
          label={words.messages}
          names={{ visitor: language.words.you, admin: words.support }}
          intro={
            <>
              <Greeting />
              {!state.loaded && <p className="chat-loading">{words.loading}</p>}
            </>
          }
        />
        <Composer
          ref={composer}
          draftKey="draft:visitor"
          sending={state.pending.some((message) => message.state === 'sending')}
          onSend={(message) => {
            conversation.send(message)
            list.current?.followNewest()
          }}
          onTyping={(typing) => conversation.setTyping(typing)}
        />
      </ViewLanguageContext>
      <p className="chat-footer">{withBrand(words.footer, brand)}</p>
    </section>
  )
}

/** The connection, and apart from it whether any admin is `online`: null while not known. */
function Status({ chat, loaded, online }: { chat: VisitorChat; loaded: boolean; online: boolean | null }) {
  const words = useWords('panel', inEnglish)
  const { connection, trouble } = useLinkState(chat.link)
  const connected = loaded && connection === 'connected'
  return (
    <div className="chat-status" role="status" data-connected={connected} data-online={connected && online}>
      <p className="chat-connection">{connected ? words.connected : words.connecting}</p>
      {connected && online !== null && <p className="chat-presence">{online ? words.online : words.away}</p>}
      {trouble && (
        <p className="chat-trouble">
          {trouble === 'offline' || trouble === 'unreachable' ? words[trouble] : trouble}
        </p>
      )}
    </div>
  )
}

function Greeting() {
  const words = useWords('panel', inEnglish)
  const ways = channels(pageState().config.contacts)
  return (
    <div className="chat-row chat-greeting">
      <div className="chat-bubble">
        <span className="visually-hidden">{`${words.support}: `}</span>
        <p>{words.greeting}</p>
        {ways.length > 0 && (
          <details>
            <summary>{words.channels}</summary>
            <ul>
              {ways.map(({ name, text, href }) => (
                <li key={name}>
                  <span>{name}</span>
                  {href === null ? (
                    <bdi>{text}</bdi>
                  ) : (
                    <a href={href} target="_blank" rel="noopener noreferrer">
                      <bdi>{text}</bdi>
                    </a>
                  )}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </div>
  )
}

/** Closes on Escape while the focus is inside the panel or nowhere. */
function useEscape(panel: RefObject<HTMLElement | null>, onClose: () => void): void {
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
