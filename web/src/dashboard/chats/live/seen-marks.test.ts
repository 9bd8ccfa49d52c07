// @vitest-environment jsdom
import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { MovedMark, PostSeen, SeenMark } from '@proctorpass/shared/schemas/updates'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { AdminChat } from '../../../chat/engine/admin-chat.ts'
import { createSignal } from '../../../chat/engine/signal.ts'
import { useAuth } from '../../../lib/auth-store.ts'
import { http } from '../../../testing/our-http.ts'
import { API, givePageState } from '../../../testing/page-state.ts'
import { seenMarksOf } from './seen-marks.ts'

const CLIENT = 'v'.padEnd(20, '0')
const mark = (seq: number, n = 0): SeenMark => ({ clientId: CLIENT, epoch: 'e', seq, n })

const server = setupServer()
let sent: (SeenMark | 'unseen')[]
beforeAll(() => {
  givePageState({ apiPrefix: API })
  server.listen({ onUnhandledFrame: 'error' })
})
beforeEach(() => {
  sent = []
  useAuth.setState({ roles: ['Admin'], accessToken: 'token', user_Id: 'a'.repeat(24), userName: 'Grace' })
  server.use(
    http.post(API + adminPaths.chatUpdatesSeen, async ({ request }) => {
      sent.push(...((await request.json()) as PostSeen).marks)
      return new HttpResponse(null, { status: 204 })
    }),
    http.post(API + adminPaths.conversationUnseen(CLIENT), () => {
      sent.push('unseen')
      return HttpResponse.json({ seen: 2 })
    }),
  )
})
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

function tab() {
  const seen = createSignal<MovedMark>()
  const chat = { onSeen: seen.on, onResync: () => () => {} } as unknown as AdminChat
  const marks = seenMarksOf(chat)
  const moved: MovedMark[] = []
  marks.onMoved((each) => moved.push(each))
  return { marks, moved, emit: seen.emit }
}

test('what was seen reaches the server before the conversation is marked as unread', async () => {
  const { marks, moved } = tab()
  marks.mark(mark(3, 1))
  await marks.markUnread(CLIENT, 'e')
  expect(sent).toEqual([mark(3, 1), 'unseen'])
  expect(moved.at(-1)).toEqual({ ...mark(2, 1), back: true })
})

test('a tab that shows a conversation marks its messages again only when it is opened anew', async () => {
  const { marks, emit } = tab()
  marks.mark(mark(3, 1))
  await vi.waitFor(() => expect(sent).toEqual([mark(3, 1)]))
  emit({ ...mark(2, 1), back: true })
  marks.mark(mark(3, 1))
  marks.mark(mark(4))
  // An entry is not a message.
  marks.mark(mark(0, 2))
  await vi.waitFor(() => expect(sent).toEqual([mark(3, 1), mark(2, 2)]))
  marks.opened(CLIENT)
  marks.mark(mark(4))
  await vi.waitFor(() => expect(sent.at(-1)).toEqual(mark(4, 2)))
})
