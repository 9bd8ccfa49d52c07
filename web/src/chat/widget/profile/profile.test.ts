// @vitest-environment jsdom

import { AppError } from '@proctorpass/shared/errors'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { PatchProfile, Reported } from '@proctorpass/shared/schemas/inbox'
import { act, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { givePageState } from '../../../testing/page-state.ts'
import { serveWords } from '../../../testing/words.ts'
import type { ConversationState } from '../../engine/types.ts'
import { chooseLanguage } from '../../language/choose-language.ts'
import { loadLanguage } from '../../language/language.ts'
import {
  forgetProfile,
  reportSoon,
  saveProfile,
  storedProfile,
  useStoredEmail,
  useUnsubscribed,
} from './profile.ts'

const EXAM = '2026-12-01T09:00:00.000Z'

let reports: PatchProfile[] = []
/** Thrown by the next reports, in order. */
let failures: AppError[] = []
let epoch = ''
let answer: Reported = { message: 'Details saved' }
const chat: Parameters<typeof saveProfile>[0] = {
  async report(profile) {
    const failure = failures.shift()
    if (failure) throw failure
    reports.push(profile)
    return answer
  },
  conversation: {
    getState: () =>
      ({ messages: epoch === '' ? [] : [{ epoch } as Message] }) as unknown as ConversationState,
  } as (typeof chat)['conversation'],
}
/** The first message of a history was stored, or its page loaded. */
const reported = (history: string) => {
  epoch = history
  return reportSoon(chat, history)
}

givePageState()
serveWords()

beforeEach(() => {
  localStorage.clear()
  reports = []
  failures = []
  epoch = ''
  answer = { message: 'Details saved' }
  history.replaceState(null, '', '/faq?secret=1#part')
})
afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  localStorage.clear()
  await loadLanguage()
})

describe('what a browser says of itself', () => {
  it('is reported once, and then only what changed', async () => {
    await reported('one')
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
    expect(reports).toEqual([{ locale: navigator.language, timeZone, page: '/faq' }])
    await reported('one')
    expect(reports).toHaveLength(1)
    history.replaceState(null, '', '/reviews')
    await reported('one')
    expect(reports.slice(1)).toEqual([{ page: '/reviews' }])
  })

  it('names the site the visitor came from, without the page, and not its own', async () => {
    const referrer = vi.spyOn(document, 'referrer', 'get')
    referrer.mockReturnValue('https://search.example/find?q=private')
    await reported('one')
    expect(reports[0]).toMatchObject({ referrer: 'https://search.example' })
    referrer.mockReturnValue(`${location.origin}/faq`)
    await reported('two')
    expect(reports[1]).not.toHaveProperty('referrer')
  })

  it.each([
    ['the language of the chat', { browser: ['fr-FR', 'zh-CN', 'en'] }, 'zh-CN'],
    ['the browser, where the chat does not speak its language', { browser: ['fr-FR', 'en-US'] }, 'fr-FR'],
    ['the chosen language', { browser: ['en-US'], chosen: 'zh' }, 'zh'],
    ['the chosen language, also English', { browser: ['zh-CN', 'en-GB'], chosen: 'en' }, 'en-GB'],
  ])(
    'has the locale of %s',
    async (_of, { browser, chosen }: { browser: string[]; chosen?: string }, locale) => {
      vi.spyOn(navigator, 'languages', 'get').mockReturnValue(browser)
      vi.spyOn(navigator, 'language', 'get').mockReturnValue(browser[0] ?? '')
      await loadLanguage()
      await reported('one')
      if (chosen !== undefined) await chooseLanguage(chosen)
      await reported('one')
      expect(reports.findLast((report) => 'locale' in report)).toMatchObject({ locale })
    },
  )

  it('is reported again after an hour, so that the visitor counts as seen', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] })
    await reported('one')
    vi.setSystemTime(59 * 60_000)
    await reported('one')
    expect(reports).toHaveLength(1)
    vi.setSystemTime(61 * 60_000)
    await reported('one')
    expect(reports.slice(1)).toEqual([{}])
  })

  it('is reported without a field that the server refuses', async () => {
    failures = [
      new AppError('invalid-input', 'No.', { details: [{ field: 'timeZone', message: 'Use an IANA name' }] }),
    ]
    await reported('one')
    expect(reports).toEqual([{ locale: navigator.language, page: '/faq' }])
  })

  it('is reported later after an outage, and not again after a refusal', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    failures = [new AppError('unavailable', 'Later.'), new AppError('unavailable', 'Later.')]
    const done = reported('one')
    await vi.runAllTimersAsync()
    await done
    expect(reports).toHaveLength(1)
    failures = [new AppError('forbidden', 'No.')]
    await reported('two')
    expect(reports).toHaveLength(1)
  })
})

describe('what a visitor says', () => {
  it('waits for their first message', async () => {
    await saveProfile(chat, { name: 'Sam', examAt: EXAM })
    expect([reports, storedProfile()]).toEqual([[], { name: 'Sam', examAt: EXAM }])
    await reported('one')
    expect(reports).toEqual([expect.objectContaining({ name: 'Sam', examAt: EXAM, page: '/faq' })])
    await reported('one')
    expect(reports).toHaveLength(1)
  })

  it('is reported at once in a conversation: only changed fields, and null for cleared ones', async () => {
    await reported('one')
    await saveProfile(chat, { name: 'Sam', examAt: EXAM })
    await saveProfile(chat, { name: null, examAt: EXAM })
    expect(reports.slice(1)).toEqual([{ name: 'Sam', examAt: EXAM }, { name: null }])
  })

  it('is kept out when it is refused', async () => {
    await reported('one')
    await saveProfile(chat, { name: 'Sam' })
    failures = [
      new AppError('invalid-input', 'No.', { details: [{ field: 'email', message: 'Enter a valid one' }] }),
    ]
    await expect(saveProfile(chat, { name: 'Sam', email: 'x' })).rejects.toThrow('No.')
    expect(storedProfile()).toEqual({ name: 'Sam' })
  })

  it('keeps whether they unsubscribed from mails, as the server says it each time', async () => {
    const { result } = renderHook(() => [useStoredEmail('one'), useUnsubscribed()])
    await reported('one')
    await act(() => saveProfile(chat, { email: 'sam@example.org' }))
    expect(result.current).toEqual(['sam@example.org', false])
    answer = { message: 'Details saved', unsubscribed: true }
    await act(() => reportSoon(chat, 'one'))
    expect([reports.length, result.current]).toEqual([2, ['sam@example.org', false]])
    await act(() => reportSoon(chat, 'one', { always: true }))
    expect([reports.slice(2), result.current]).toEqual([[{}], ['sam@example.org', true]])
    await act(() => saveProfile(chat, { name: 'Sam', email: 'sam@example.org' }))
    expect([reports.slice(3), result.current]).toEqual([[{ name: 'Sam' }], ['sam@example.org', true]])
    answer = { message: 'Details saved' }
    await act(() => saveProfile(chat, { name: 'Sam', email: 'other@example.org' }))
    expect(result.current).toEqual(['other@example.org', false])
  })

  it('goes with an erased history', async () => {
    await reported('one')
    await saveProfile(chat, { name: 'Sam' })
    await reported('two')
    expect(reports.at(-1)).not.toHaveProperty('name')
    expect(storedProfile()).toEqual({})
  })

  it('is forgotten with the conversation', async () => {
    await reported('one')
    await saveProfile(chat, { name: 'Sam' })
    forgetProfile()
    expect([storedProfile(), localStorage.length]).toEqual([{}, 0])
  })

  it('survives broken and disabled storage', async () => {
    localStorage.setItem('chat:said', '{"epoch"')
    localStorage.setItem('chat:reported', 'null')
    await reported('one')
    expect(reports).toHaveLength(1)
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new Error('QuotaExceededError')
    })
    await reported('two')
    expect(reports).toHaveLength(2)
  })
})
