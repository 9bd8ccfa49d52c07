// @vitest-environment jsdom

import type { Card } from '@proctorpass/shared/schemas/settings'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { useLiveChat } from '../../../lib/live-chat-store.ts'
import { withoutLayout } from '../../../testing/no-layout.ts'
import { useLanguage } from '../../language/language.ts'
import { followCards } from './follow-cards.ts'
import { useShownCard } from './shown-card.ts'

const HOUR = 60 * 60
const CARD: Card = {
  id: 'one',
  path: '/faq*',
  afterSeconds: 10,
  language: null,
  onlineOnly: false,
  text: { en: 'Questions?', zh: '' },
  greeting: { en: '', zh: '' },
}
const OTHER: Card = { ...CARD, id: 'other', path: '*', afterSeconds: 20 }

/** What the server says when it is asked again; null: it does not answer. */
let rules: { cards: Card[]; adminOnline: boolean } | null
let stop = () => {}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
  withoutLayout()
  localStorage.clear()
  document.body.innerHTML = '<button class="chat-launcher"></button><textarea></textarea>'
  history.replaceState(null, '', '/faq')
  useLiveChat.setState({ open: true, shown: 'card' })
  useShownCard.setState(null, true)
  rules = { cards: [CARD], adminOnline: false }
})
afterEach(() => {
  stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  useLanguage.setState({ tag: 'en' })
})

/** The page is loaded. */
function arrive(cards: Card[] = [CARD], adminOnline = false): void {
  stop()
  useShownCard.setState(null, true)
  useLiveChat.setState({ shown: 'nothing' })
  rules = { cards, adminOnline }
  stop = followCards(rules, async () => rules)
}
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)
const shown = () => (useLiveChat.getState().shown === 'card' ? useShownCard.getState()?.card.id : undefined)
const place = () => useShownCard.getState()?.onPlaced()
/** The seconds after which a card is shown, at most `max`. */
async function wait(max: number): Promise<number | null> {
  for (let second = 1; second <= max; second++) {
    await pass(1)
    if (shown() !== undefined) return second
  }
  return null
}

it('shows a card after its seconds, instead of the welcome card', async () => {
  arrive()
  useLiveChat.setState({ shown: 'card' })
  expect(await wait(60)).toBe(10)
  expect(shown()).toBe('one')
})

it('counts only seconds in which the page is visible', async () => {
  const visibility = vi.spyOn(document, 'visibilityState', 'get')
  arrive()
  await pass(6)
  visibility.mockReturnValue('hidden')
  await pass(100)
  expect(shown()).toBeUndefined()
  visibility.mockReturnValue('visible')
  expect(await wait(60)).toBe(4)
})

it('counts on over pages that match, and anew after another', async () => {
  arrive()
  await pass(6)
  history.pushState(null, '', '/faq/more/?q=1')
  expect(await wait(60)).toBe(4)
  arrive()
  await pass(6)
  history.pushState(null, '', '/about')
  await pass(60)
  expect(shown()).toBeUndefined()
  history.pushState(null, '', '/faq')
  expect(await wait(60)).toBe(10)
})

it.each(['{}', '{"ids":"one","at":0}', 'null', '{'])('takes %s in storage for nothing', async (damaged) => {
  localStorage.setItem('chat:cards', damaged)
  arrive()
  expect(await wait(60)).toBe(10)
})

it('shows each card once, one a day, and goes with its page', async () => {
  arrive([CARD, OTHER])
  expect(await wait(60)).toBe(10)
  place()
  history.pushState(null, '', '/about')
  await pass(1)
  expect(shown()).toBeUndefined()
  arrive([CARD, OTHER])
  expect(await wait(60)).toBeNull()
  await pass(24 * HOUR)
  expect(shown()).toBe('other')
  place()
  arrive([CARD, OTHER])
  await pass(48 * HOUR)
  expect(shown()).toBeUndefined()
  expect(localStorage.getItem('chat:card')).toBe('other')
})

it('forgets after a day which card was shown, unless a conversation began', async () => {
  arrive()
  await wait(10)
  place()
  expect(localStorage.getItem('chat:card')).toBe('one')
  arrive()
  expect(localStorage.getItem('chat:card')).toBe('one')
  vi.setSystemTime(Date.UTC(2026, 0, 3))
  arrive()
  expect(localStorage.getItem('chat:card')).toBeNull()
})

it('does not count a card that found no place, and tries again later', async () => {
  arrive()
  await wait(10)
  useLiveChat.getState().fold()
  expect(localStorage.getItem('chat:card')).toBeNull()
  expect(await wait(100)).toBe(30)
})

it('waits while the panel is open', async () => {
  arrive()
  useLiveChat.setState({ shown: 'panel' })
  await pass(60)
  expect(useLiveChat.getState().shown).toBe('panel')
  useLiveChat.setState({ shown: 'nothing' })
  expect(await wait(5)).toBe(1)
})

it('waits while a field has the focus, and as long as it has typed text', async () => {
  arrive()
  const field = document.querySelector('textarea')
  field?.focus()
  expect(await wait(60)).toBeNull()
  if (field) field.value = 'Dear'
  field?.blur()
  expect(await wait(60)).toBeNull()
  if (field) field.value = ''
  expect(await wait(5)).toBe(1)
})

it('is not shown on a page where something was typed, nor beside a draft of the chat', async () => {
  arrive()
  document.querySelector('textarea')?.dispatchEvent(new InputEvent('input', { bubbles: true }))
  expect(await wait(60)).toBeNull()
  history.pushState(null, '', '/faq/more')
  expect(await wait(5)).toBe(1)
  localStorage.setItem('draft:visitor', 'Hello')
  arrive()
  expect(await wait(60)).toBeNull()
})

it('is for visitors without a conversation', async () => {
  localStorage.setItem('chat:exists', 'true')
  arrive()
  expect(await wait(60)).toBeNull()
})

it('is for the language of the chat', async () => {
  arrive([{ ...CARD, language: 'zh' }])
  expect(await wait(60)).toBeNull()
  useLanguage.setState({ tag: 'zh' })
  expect(await wait(5)).toBe(1)
})

it('asks again for the admins before it shows a card that needs one', async () => {
  arrive([{ ...CARD, onlineOnly: true }], true)
  rules = { cards: [{ ...CARD, onlineOnly: true }], adminOnline: false }
  expect(await wait(20)).toBeNull()
  rules = null
  expect(await wait(30)).toBeNull()
  rules = { cards: [{ ...CARD, onlineOnly: true }], adminOnline: true }
  expect(await wait(60)).not.toBeNull()
})

it('shows no card that was deleted or moved meanwhile', async () => {
  arrive()
  rules = { cards: [], adminOnline: true }
  expect(await wait(60)).toBeNull()
  arrive()
  rules = { cards: [{ ...CARD, path: '/reviews' }], adminOnline: true }
  expect(await wait(60)).toBeNull()
})

it('is not shown where data is to be saved, nor without storage, nor on pages without the chat', async () => {
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: query.includes('reduced-data') }))
  arrive()
  expect(await wait(60)).toBeNull()
  withoutLayout()
  Object.assign(navigator, { connection: { saveData: true } })
  arrive()
  expect(await wait(60)).toBeNull()
  Object.assign(navigator, { connection: undefined })
  const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  arrive()
  expect(await wait(60)).toBeNull()
  full.mockRestore()
  document.querySelector('.chat-launcher')?.remove()
  arrive()
  expect(await wait(60)).toBeNull()
})
