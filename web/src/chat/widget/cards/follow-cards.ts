import { matchesPath } from '@proctorpass/shared/card-path'
import type { ShownCard as Card, ChatState } from '@proctorpass/shared/schemas/config'
import { CARD_KEY, readStorage, VISITOR_DRAFT, writeStorage } from '../../../lib/browser-storage.ts'
import { useLiveChat } from '../../../lib/live-chat-store.ts'
import { hasUnsavedInput } from '../../../lib/outdated-page.ts'
import { useLanguage } from '../../language/language.ts'
import { EXISTS_KEY } from '../launcher-handoff.ts'
import { useShownCard } from './shown-card.ts'

type Rules = Pick<ChatState, 'cards' | 'adminOnline'>

/** The localStorage key for the cards that this visitor was shown. */
const SEEN_KEY = 'chat:cards'
/** More than the settings have at a time, because cards come and go. */
const SEEN_MAX = 100
const DAY_MS = 24 * 60 * 60 * 1_000
const TICK_MS = 1_000
/**
 * If a card cannot be shown now, because no admin or no room is available, it is tried again after this many seconds.
 */
const AGAIN_SECONDS = 30

interface Seen {
  ids: string[]
  /** When the last card was shown. */
  at: number
}

let stopBefore = () => {}

/**
 * Shows the settings' cards at their times to a visitor without a conversation. `read` reads the settings again, or
 * resolves to null if it cannot.
 * @see docs/decisions/0092-cards.md
 */
export function followCards(rules: Rules, read: () => Promise<Rules | null>): () => void {
  stopBefore()
  if (wantsLessData() || !remembers()) return () => {}
  /** How long the current page has been visible for each card. */
  const seconds = new Map<string, number>()
  let typedOn: string | null = null
  let reading = false

  function tick(): void {
    if (document.visibilityState !== 'visible') return
    if (readStorage(EXISTS_KEY) !== null) {
      stop()
      return
    }
    const path = location.pathname
    const shown = useShownCard.getState()?.card
    if (shown && !matchesPath(shown.path, path)) takeAway()
    for (const { id, path: pattern } of rules.cards) {
      seconds.set(id, matchesPath(pattern, path) ? (seconds.get(id) ?? 0) + 1 : 0)
    }
    const due = rules.cards.find((card) => (seconds.get(card.id) ?? 0) >= card.afterSeconds && isFor(card))
    if (due && !reading && isQuiet(path)) void show(due)
  }

  /** Whether the visitor uses nothing of the chat and is not writing anything. */
  function isQuiet(path: string): boolean {
    return (
      useLiveChat.getState().shown !== 'panel' &&
      typedOn !== path &&
      !isField(document.activeElement) &&
      !hasUnsavedInput() &&
      readStorage(VISITOR_DRAFT) === null &&
      // Pages without the chat have no launcher.
      document.querySelector('.chat-launcher') !== null
    )
  }

  /** Shows the card. The page may be hours old, so the settings and the admins' presence are read again. */
  async function show({ id, afterSeconds }: Card): Promise<void> {
    reading = true
    seconds.set(id, afterSeconds - AGAIN_SECONDS)
    rules = (await read()) ?? { ...rules, adminOnline: false }
    reading = false
    const path = location.pathname
    const card = rules.cards.find((each) => each.id === id)
    const isDue = card !== undefined && matchesPath(card.path, path) && isFor(card)
    if (!isDue || (card.onlineOnly && !rules.adminOnline)) return
    if (!isQuiet(path) || document.visibilityState !== 'visible') return
    useShownCard.setState({ card, onPlaced: () => remember(id) }, true)
    useLiveChat.setState({ shown: 'card' })
  }

  const typed = () => {
    typedOn = location.pathname
  }
  const timer = setInterval(tick, TICK_MS)
  document.addEventListener('input', typed, true)
  function stop(): void {
    clearInterval(timer)
    document.removeEventListener('input', typed, true)
  }
  stopBefore = stop
  return stop
}

/** Removes the card on the screen, which disappears with its page. */
function takeAway(): void {
  useShownCard.setState(null, true)
  if (useLiveChat.getState().shown === 'card') useLiveChat.getState().fold()
}

/** Whether this visitor may be shown the card today. */
function isFor({ id, language }: Card): boolean {
  const { ids, at } = seen()
  if (ids.includes(id) || Math.abs(Date.now() - at) < DAY_MS) return false
  return language === null || language === useLanguage.getState().tag
}

function seen(): Seen {
  try {
    const { ids, at } = JSON.parse(readStorage(SEEN_KEY) ?? '') as Seen
    if (Array.isArray(ids)) return { ids, at }
  } catch {
    // An unreadable value counts as if nothing was shown.
  }
  return { ids: [], at: 0 }
}

function remember(id: string): void {
  writeStorage(SEEN_KEY, JSON.stringify({ ids: [...seen().ids, id].slice(-SEEN_MAX), at: Date.now() }))
  writeStorage(CARD_KEY, id)
}

/**
 * Whether this browser stores the shown cards. A card shown more than a day ago does not count as a message's reason.
 */
function remembers(): boolean {
  const known = seen()
  if (Math.abs(Date.now() - known.at) >= DAY_MS) writeStorage(CARD_KEY, null)
  writeStorage(SEEN_KEY, JSON.stringify(known))
  return readStorage(SEEN_KEY) !== null
}

function wantsLessData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  return connection?.saveData === true || matchMedia('(prefers-reduced-data: reduce)').matches
}

function isField(element: Element | null): boolean {
  return element?.matches('input, textarea, select, [contenteditable]') ?? false
}
