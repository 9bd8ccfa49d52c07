import { X } from 'virtual:icons'
import launcher from 'virtual:words/launcher'
import dismiss from 'virtual:words/launcher.dismiss'
import onlineInEnglish from 'virtual:words/panel.online'
import { paths } from '@proctorpass/shared/paths'
import type { ChatState, LiveConfig } from '@proctorpass/shared/schemas/config'
import { type RefObject, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { BRAND_TICK } from '../../components/brand-tick.ts'
import { Icon } from '../../components/icon.tsx'
import { withBrand } from '../../content/with-brand.ts'
import { callApi } from '../../lib/api.ts'
import { listen } from '../../lib/listen.ts'
import { useLiveChat } from '../../lib/live-chat-store.ts'
import { pageState } from '../../lib/page-state.ts'
import { inLanguage, useLanguage, useWords } from '../language/language.ts'
import { afterFrame } from './after-frame.ts'
import { type ShownCard, useShownCard } from './cards/shown-card.ts'
import type { CardProps, CardState } from './launcher-handoff.ts'
import { QuickReplies } from './quick-replies.tsx'
import './card.css'

const inEnglish = { ...launcher, dismiss }

/** Only the welcome card does not wait this long. */
const READ_MS = 10_000
/** An answer that comes later than this is only for the panel, because the page does not change what it shows. */
const WAIT_MS = 2_000

/** Each form needs less room than the one before it. The last one stands beside the button. */
const FORMS = ['full', 'text', 'line'] as const

/**
 * Shows what the chat shows when it opens by itself: a message, a card from the settings, or the welcome card. It
 * stands only where it covers nothing that visitors use on the page.
 */
export function Card(props: CardProps) {
  const shown = useShownCard()
  // The key places another card anew.
  return <PlacedCard key={shown?.card.id} {...props} shown={props.text === null ? shown : null} />
}

function PlacedCard({ text: message, state, onClose, shown }: CardProps & { shown: ShownCard | null }) {
  const { setOpen, fold } = useLiveChat()
  const words = useWords('launcher', inEnglish)
  const online = useLanguage((language) => language.words?.panel.online) ?? onlineInEnglish
  const tag = useLanguage((language) => language.tag)
  const text = message ?? (shown && inLanguage(shown.card.text, tag))
  const id = useId()
  const card = useRef<HTMLElement>(null)
  const isMessage = message !== null && message !== words.continuation
  const { form, isPlaced } = useFreePlace(card, isMessage ? '' : shown ? LEADS : READ, fold)
  useEffect(() => {
    if (isPlaced) shown?.onPlaced()
  }, [isPlaced, shown])

  return (
    <aside
      ref={card}
      className="chat-card"
      data-form={form}
      data-placed={isPlaced}
      aria-labelledby={text === null ? id : undefined}
      aria-label={text === null ? undefined : words.name}
    >
      {/* biome-ignore lint/a11y: the buttons in it are for keyboards and screen readers */}
      <div className="chat-card-body" onClick={() => setOpen(true)}>
        <svg className="icon chat-card-mark" viewBox="0 0 20 20" aria-hidden="true">
          <path d={BRAND_TICK} />
        </svg>
        {text === null && <h2 id={id}>{withBrand(words.heading, pageState().config.brand)}</h2>}
        <button type="button" className="chat-card-text">
          <span>{text ?? ((state && inLanguage(state.greeting, tag)) || words.greeting)}</span>
        </button>
        {text === null && state?.adminOnline && <p className="chat-card-online">{online}</p>}
        {text === null && state && (
          <QuickReplies
            texts={state.quickReplies}
            onSend={(quickReply) => useLiveChat.setState({ quickReply })}
          />
        )}
      </div>
      <button
        type="button"
        className="icon-button chat-card-close"
        aria-label={words.dismiss}
        onClick={onClose}
      >
        <Icon of={X} large />
      </button>
    </aside>
  )
}

/**
 * Returns what the settings say, or null if they cannot be read soon. Once they are read, their cards are shown at
 * their times.
 */
export function loadState(): Promise<CardState | null> {
  const reading = readState()
  void reading.then(follow).catch(() => {})
  return Promise.race([
    reading,
    new Promise<null>((resolve) => {
      setTimeout(resolve, WAIT_MS, null)
    }),
  ])
}

async function follow(state: ChatState | null): Promise<void> {
  if (!state?.cards?.length) return
  const { followCards } = await import('./cards/follow-cards.ts')
  followCards(state, readState)
}

async function readState(): Promise<ChatState | null> {
  try {
    const { chat } = await callApi<LiveConfig>(paths.config, { signal: AbortSignal.timeout(READ_MS) })
    return chat.greeting && chat.quickReplies ? chat : null
  } catch {
    return null
  }
}

/**
 * Returns the first of the card's forms that covers nothing. The card does not move later: it disappears once it would
 * cover something.
 */
function useFreePlace(card: RefObject<HTMLElement | null>, spared: string, onNone: () => void) {
  const [tried, setTried] = useState(0)
  const [isPlaced, setPlaced] = useState(false)
  const giveUp = useEffectEvent(onNone)

  useEffect(() => {
    if (isPlaced) return
    return afterFrame(() => {
      if (!card.current || !coversContent(card.current, spared)) setPlaced(true)
      else if (tried + 1 < FORMS.length) setTried(tried + 1)
      else giveUp()
    })
  }, [card, spared, tried, isPlaced])

  useEffect(() => {
    if (!isPlaced) return
    let cancel: (() => void) | undefined
    const check = () => {
      cancel ??= afterFrame(() => {
        cancel = undefined
        if (card.current && coversContent(card.current, spared)) giveUp()
      })
    }
    // A press and a navigation change the page under the card.
    const ignore = listen(window, ['scroll', 'resize', 'focusin', 'click'], check, {
      capture: true,
      passive: true,
    })
    const page = new ResizeObserver(check)
    page.observe(document.body)
    return () => {
      cancel?.()
      ignore()
      page.disconnect()
    }
  }, [card, spared, isPlaced])

  return { form: FORMS[tried], isPlaced }
}

const LEADING = 'h1, h2, h3, h4, h5, h6, a[href]'
const USED = 'input, select, textarea, button, summary, iframe, [tabindex]:not([tabindex="-1"])'
const PICTURE = 'img, svg, video, canvas'
/** What the settings' cards spare on a small screen: the home page's opening, and reviews. */
const LEADS = ', .opening *, .review *'
/** What the chat's own invitation spares on a small screen: everything except an article's running text. */
const READ = ', body :not(.prose, .prose *)'
/** Selects the chat's own elements. */
const OWN = '.chat-card, .chat-launcher'
/**
 * Matches a small screen, which is full of text, so that only words that lead somewhere count, and what the card spares.
 * `card.css` uses the same queries.
 */
const SMALL = '(max-width: 39.99em), (max-height: 29.99em)'

/** Whether an element covers what visitors use on the page or, on a large screen, any text or picture. */
function coversContent(element: HTMLElement, spared: string): boolean {
  const area = element.getBoundingClientRect()
  const isUnder = (rect: DOMRect) =>
    rect.right > area.left && rect.left < area.right && rect.bottom > area.top && rect.top < area.bottom
  const isSmall = matchMedia(SMALL).matches

  for (const found of document.querySelectorAll(isSmall ? USED : `${USED}, ${PICTURE}`)) {
    if (isUnder(found.getBoundingClientRect()) && isSeen(found)) return true
  }
  // A box may be wider than its words, so the words are measured.
  const words = document.createRange()
  for (const found of document.querySelectorAll(isSmall ? `${LEADING}${spared}` : 'body *')) {
    if (!isUnder(found.getBoundingClientRect()) || !isSeen(found)) continue
    const isWhole = isSmall && found.matches(LEADING)
    for (const text of isWhole ? [found] : found.childNodes) {
      if (!isWhole && !(text instanceof Text && text.data.trim())) continue
      words.selectNodeContents(text)
      if ([...words.getClientRects()].some(isUnder)) return true
    }
  }
  return false
}

const isSeen = (found: Element) =>
  !found.closest(OWN) && found.checkVisibility?.({ visibilityProperty: true }) !== false
