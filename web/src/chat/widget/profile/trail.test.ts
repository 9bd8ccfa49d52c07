// @vitest-environment jsdom

import type { Message } from '@proctorpass/shared/schemas/chat'
import type { PageView, PatchProfile } from '@proctorpass/shared/schemas/inbox'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ConversationState } from '../../engine/types.ts'
import { forgetProfile } from './profile.ts'
import { followPages } from './trail.ts'

let reports: PatchProfile[] = []
let epoch = 'one'
let chat: Parameters<typeof followPages>[0]

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) })
  localStorage.clear()
  reports = []
  epoch = 'one'
  chat = {
    async report(profile) {
      reports.push(profile)
      return { message: 'Details saved' }
    },
    conversation: {
      getState: () =>
        ({ messages: epoch === '' ? [] : [{ epoch } as Message] }) as unknown as ConversationState,
    } as (typeof chat)['conversation'],
  }
  document.head.innerHTML = '<title>Home</title>'
  history.replaceState(null, '', '/?q=1')
})
afterEach(async () => {
  // Ends what the test followed.
  epoch = ''
  await visit('/end', 'End')
  vi.useRealTimers()
  localStorage.clear()
})

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000)
async function visit(path: string, title: string): Promise<void> {
  history.pushState(null, '', path)
  // The router changes it a moment later.
  await pass(0)
  document.title = title
  await pass(0)
}
const kept = (): PageView[] => JSON.parse(localStorage.getItem('chat:pages') ?? '{"pages":[]}').pages
const paths = () => kept().map(({ path, seconds }) => [path, seconds])

it('follows the pages from the first message on, with the time they were visible', async () => {
  followPages(chat, epoch)
  await pass(1)
  expect(reports).toMatchObject([
    { page: '/', pages: [{ path: '/', title: 'Home', at: '2026-01-01T00:00:00.000Z', seconds: 0 }] },
  ])
  await pass(9)
  await visit('/faq?secret=1#part', '(2) FAQ')
  await pass(3)
  expect(reports.slice(1)).toEqual([
    {
      page: '/faq',
      pages: [
        { path: '/', title: 'Home', at: '2026-01-01T00:00:00.000Z', seconds: 10 },
        { path: '/faq', title: 'FAQ', at: '2026-01-01T00:00:10.000Z', seconds: 0 },
      ],
    },
  ])
})

it('counts no time in a hidden tab', async () => {
  const visibility = vi.spyOn(document, 'visibilityState', 'get')
  followPages(chat, epoch)
  await pass(5)
  visibility.mockReturnValue('hidden')
  document.dispatchEvent(new Event('visibilitychange'))
  await pass(100)
  visibility.mockReturnValue('visible')
  document.dispatchEvent(new Event('visibilitychange'))
  await pass(2)
  await visit('/faq', 'FAQ')
  expect(paths()).toEqual([
    ['/', 7],
    ['/faq', 0],
  ])
  visibility.mockRestore()
})

it('reports pages that are passed through quickly once, and keeps the last 20', async () => {
  followPages(chat, epoch)
  await pass(0)
  for (let page = 1; page <= 25; page++) {
    await visit(`/${page}`, `Page ${page}`)
    await pass(1)
  }
  await pass(3)
  expect(reports).toHaveLength(2)
  expect(reports[1]?.pages?.map(({ path }) => path)).toEqual(
    Array.from({ length: 20 }, (_, index) => `/${index + 6}`),
  )
})

it('continues the last page after a reload, and not a day later', async () => {
  followPages(chat, epoch)
  await pass(4)
  window.dispatchEvent(new Event('pagehide'))
  followPages({ ...chat }, epoch)
  await pass(2)
  window.dispatchEvent(new Event('pagehide'))
  expect(paths()).toEqual([['/', 6]])
  await pass(24 * 60 * 60)
  followPages({ ...chat }, epoch)
  expect(kept()).toHaveLength(2)
})

it('ends with the conversation, and begins anew with the next', async () => {
  followPages(chat, epoch)
  await pass(0)
  forgetProfile()
  epoch = ''
  await visit('/faq', 'FAQ')
  await pass(9)
  expect([reports.length, localStorage.getItem('chat:pages')]).toEqual([1, null])
  epoch = 'two'
  followPages(chat, epoch)
  await pass(0)
  expect(reports[1]?.pages?.map(({ path }) => path)).toEqual(['/faq'])
})
