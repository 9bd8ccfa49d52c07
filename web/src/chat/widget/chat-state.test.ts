// @vitest-environment jsdom

import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { http } from '../../testing/our-http.ts'
import { API, givePageState, testConfig } from '../../testing/page-state.ts'
import { refreshChatState, useChatState } from './chat-state.ts'

/** Ends each request, in the order in which they came. */
let answers: ((away: string | null) => void)[] = []

const server = setupServer(
  http.get(`${API}/config`, async () => {
    const away = await new Promise<string | null>((resolve) => answers.push(resolve))
    if (away === null) return HttpResponse.error()
    return HttpResponse.json({ chat: { open: false, away: { en: away, zh: '' } } })
  }),
)
const requests = (count: number) => vi.waitFor(() => expect(answers).toHaveLength(count))
const away = () => useChatState.getState()?.away.en

beforeAll(() => {
  server.listen()
  givePageState({ config: testConfig })
})
beforeEach(() => {
  answers = []
  useChatState.setState(null, true)
})
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

test('the answer to the newest request stays, also when an older one comes later', async () => {
  const older = refreshChatState()
  await requests(1)
  const newer = refreshChatState()
  await requests(2)
  answers[1]?.('new')
  await newer
  answers[0]?.('old')
  await older
  expect(away()).toBe('new')
})

test('an older answer is taken where the newest request fails', async () => {
  const older = refreshChatState()
  await requests(1)
  const newer = refreshChatState()
  await requests(2)
  answers[1]?.(null)
  await newer
  answers[0]?.('old')
  await older
  expect(away()).toBe('old')
})
