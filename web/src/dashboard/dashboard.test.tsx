import { aliasOf } from '@proctorpass/shared/alias'
import { NEW_INBOX_STATE, UNKNOWN_VISITOR } from '@proctorpass/shared/inbox'
import type { Message, Page } from '@proctorpass/shared/schemas/chat'
import type { TeamAdmin } from '@proctorpass/shared/schemas/team'
import type { PostSeen, SeenMark, Update } from '@proctorpass/shared/schemas/updates'
import { cleanup, configure, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { SIGNED_OUT, useAuth } from '../lib/auth-store.ts'
import { SiteConfigContext } from '../lib/site-config.ts'
import { played } from '../testing/fake-howler.ts'
import { withoutLayout } from '../testing/no-layout.ts'
import { http } from '../testing/our-http.ts'
import { API, givePageState, testConfig } from '../testing/page-state.ts'
import { dashboardRoute } from './routes.tsx'

// A busy machine is slow.
vi.setConfig({ testTimeout: 60_000 })
configure({ asyncUtilTimeout: 20_000 })

vi.mock('howler/dist/howler.core.min.js', () => import('../testing/fake-howler.ts'))

const ADMIN_ID = 'a'.repeat(24)
const OTHER_ADMIN_ID = 'b'.repeat(24)
const ADA = `Ada${'0'.repeat(17)}`
const BEN = `Ben${'0'.repeat(17)}`

const config = {
  ...testConfig,
  chat: { transport: 'polling' as const, pollMs: 20, unreadPollMs: 40 },
}

/** What the server holds, and what it was asked. */
let stored: Message[] = []
let read: Map<string, number>
let asked: string[] = []
/** The updates that the bell lists, and the marks it sends. */
let updates: Update[] = []
let seen: SeenMark[] = []
/** The seq that this admin has seen. */
let ownSeen: Map<string, number>

const server = setupServer(
  http.get(`${API}/chat`, ({ request }) => {
    const all = [...new Set(stored.map(({ clientId }) => clientId))].map(summary).sort(byWaiting)
    if (all.length === 0) return HttpResponse.json({ message: 'No messages found!' })
    // Two per page.
    const from = Number(new URL(request.url).searchParams.get('cursor') ?? 0)
    const next = from + 2
    return HttpResponse.json(all.slice(from, next), {
      headers: next < all.length ? { link: `</api/chat?cursor=${next}>; rel="next"` } : {},
    })
  }),
  http.get(`${API}/chat/updates`, () => HttpResponse.json({ updates })),
  http.post(`${API}/chat/updates/seen`, async ({ request }) => {
    const { marks } = (await request.json()) as PostSeen
    seen.push(...marks)
    return new HttpResponse(null, { status: 204 })
  }),
  http.get(`${API}/reviews/pending`, () => HttpResponse.json({ reviews: [], count: 0 })),
  http.get(`${API}/account/searches`, () => HttpResponse.json({ searches: [] })),
  http.get(`${API}/version`, () => HttpResponse.json({ version: '1.2.3' })),
  http.get(`${API}/chat/counts`, () => {
    const open = new Set(stored.map(({ clientId }) => clientId)).size
    const none = { mine: 0, examSoon: 0, snoozed: 0, resolved: 0, spam: 0 }
    return HttpResponse.json({ ...none, open, unassigned: open, all: open })
  }),
  http.get(`${API}/chat/labels`, () => HttpResponse.json({ labels: [] })),
  http.get(`${API}/team`, () =>
    HttpResponse.json({
      admins: [teamAdmin(ADMIN_ID, 'Grace'), teamAdmin(OTHER_ADMIN_ID, 'Hopper')],
    }),
  ),
  http.get(`${API}/chat/unread/count`, () =>
    HttpResponse.json({
      totalAdminUnread: [...read.keys()].reduce((sum, clientId) => sum + unread(clientId), 0),
    }),
  ),
  http.get(`${API}/chat/admin/:clientId`, ({ params, request }) => {
    const after = Number(new URL(request.url).searchParams.get('after') ?? 0)
    return HttpResponse.json(page(String(params.clientId), after))
  }),
  http.get(`${API}/sites`, () => HttpResponse.json({ sites: [], count: 0 })),
  http.get(`${API}/chat/admin/:clientId/activity`, () =>
    HttpResponse.json({ activity: [], n: 0, more: false }),
  ),
  http.get(`${API}/chat/admin/:clientId/visitor`, ({ params }) =>
    HttpResponse.json({ clientId: params.clientId, ...UNKNOWN_VISITOR, blockedUntil: null, ratings: [] }),
  ),
  http.get(`${API}/chat/admin/:clientId/scheduled`, () => HttpResponse.json({ scheduled: [] })),
  http.get(`${API}/chat/admin/:clientId/summary`, ({ params }) =>
    HttpResponse.json(summary(String(params.clientId))),
  ),
  http.post<{ clientId: string }, { seq: number }>(
    `${API}/chat/admin/:clientId/read`,
    async ({ params, request }) => {
      const { seq } = await request.json()
      read.set(params.clientId, seq)
      return HttpResponse.json({ seq, adminUnread: unread(params.clientId) })
    },
  ),
  http.post<never, { clientId: string; message: string; nonce: string }>(
    `${API}/chat`,
    async ({ request }) => {
      const { clientId, message, nonce } = await request.json()
      if (message.includes('blocked')) {
        return HttpResponse.json(
          { message: 'We cannot take this.', code: 'blocked', requestId: 'r1' },
          { status: 403 },
        )
      }
      return HttpResponse.json(
        { message: 'Sent', data: write(clientId, message, ADMIN_ID, nonce) },
        { status: 201 },
      )
    },
  ),
  http.get(`${API}/config`, () => HttpResponse.json(config)),
  http.get(`${API}/auth/refresh/:userId`, () =>
    HttpResponse.json({ accessToken: 'fresh', roles: ['Admin'], user_Id: ADMIN_ID, userName: 'Grace' }),
  ),
  http.post(`${API}/auth/logout`, () => HttpResponse.json({ message: 'Signed out' })),
)

function teamAdmin(userId: string, userName: string): TeamAdmin {
  return {
    ...{ userId, userName, displayName: null, face: null, you: userId === ADMIN_ID },
    ...{ online: true, onDuty: true, disabled: false, invited: false },
  }
}

function write(clientId: string, message: string, senderId = clientId, nonce?: string): Message {
  const seq = of(clientId).length + 1
  const written: Message = {
    _id: `${stored.length}`.padStart(24, '0'),
    clientId,
    senderId,
    message,
    createdAt: new Date(Date.now() - 60_000 + stored.length).toISOString(),
    seq,
    epoch: 'epoch',
    nonce: nonce ?? `${clientId}-${seq}`,
  }
  stored.push(written)
  if (!read.has(clientId)) read.set(clientId, 0)
  return written
}

const of = (clientId: string) => stored.filter((message) => message.clientId === clientId)

const unread = (clientId: string) =>
  of(clientId).filter(({ senderId, seq }) => senderId === clientId && seq > (read.get(clientId) ?? 0)).length

function summary(clientId: string) {
  const messages = of(clientId)
  const answered = messages.findLastIndex(({ senderId }) => senderId !== clientId)
  return {
    clientId,
    adminUnread: unread(clientId),
    lastMessage: messages.at(-1) as Message,
    waitingSince: messages[answered + 1]?.createdAt ?? null,
    ...{
      ...NEW_INBOX_STATE,
      visitor: UNKNOWN_VISITOR,
      site: null,
      blockedUntil: null,
      seen: ownSeen.get(clientId) ?? 0,
    },
  }
}

const byWaiting = (a: ReturnType<typeof summary>, b: ReturnType<typeof summary>) =>
  (a.waitingSince ?? 'none').localeCompare(b.waitingSince ?? 'none') ||
  b.lastMessage.createdAt.localeCompare(a.lastMessage.createdAt)

function page(clientId: string, after: number): Page {
  const messages = of(clientId)
  return {
    messages: messages.filter(({ seq }) => seq > after),
    seq: messages.length,
    epoch: messages.length > 0 ? 'epoch' : '',
    more: false,
    read: { visitor: 0, admin: read.get(clientId) ?? 0 },
    transport: 'polling',
  }
}

function open(path: string) {
  const router = createMemoryRouter(
    [
      { ...dashboardRoute, hydrateFallbackElement: <></> },
      { path: '/login', element: <p>the login</p> },
    ],
    {
      initialEntries: [path],
    },
  )
  render(
    <SiteConfigContext value={config}>
      <RouterProvider router={router} />
    </SiteConfigContext>,
  )
  return router
}

/** The clientId and the unread messages of each row. */
const rows = () =>
  screen
    .getAllByRole('row')
    .slice(1)
    .map((row) => within(row).getAllByRole('cell')[1])
    .map((cell) =>
      [cell?.querySelector('bdi')?.title, cell?.querySelector('.dashboard-badge')?.textContent].join(''),
    )

const viewOf = (clientId: string) => `View the conversation with ${aliasOf(clientId)}`

beforeAll(() => {
  server.listen({ onUnhandledFrame: 'error' })
  server.events.on('request:start', ({ request }) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`)
  })
  givePageState({ config })
  withoutLayout()
  // jsdom has the element and not its methods.
  HTMLDialogElement.prototype.showModal ??= function (this: HTMLDialogElement) {
    this.open = true
  }
  HTMLDialogElement.prototype.close ??= function (this: HTMLDialogElement) {
    this.open = false
  }
  Object.defineProperty(Element.prototype, 'clientHeight', { get: () => 600 })
  Object.defineProperty(HTMLElement.prototype, 'offsetHeight', { get: () => 60 })
  Element.prototype.scrollTo = () => {}
})

beforeEach(() => {
  stored = []
  read = new Map()
  ownSeen = new Map()
  asked = []
  updates = []
  seen = []
  played.length = 0
  localStorage.clear()
  useAuth.setState({ roles: ['Admin'], accessToken: 'token', user_Id: ADMIN_ID, userName: 'Grace' })
})

afterEach(() => {
  server.resetHandlers()
  useAuth.setState(SIGNED_OUT)
})

afterAll(() => server.close())

test('the index shows the form of a new post', async () => {
  open('/dashboard')
  expect(await screen.findByRole('heading', { name: 'Add blog' })).toBeDefined()
})

test('the index shows the conversations while a message is unread, and stays the form once it is shown', async () => {
  const router = open('/dashboard')
  await screen.findByRole('heading', { name: 'Add blog' })
  write(ADA, 'hello')
  await screen.findByRole('link', { name: 'Support, 1 unread message' })
  expect(router.state.location.pathname).toBe('/dashboard')
  cleanup()
  const again = open('/dashboard')
  expect(await screen.findByRole('heading', { name: 'Messages' })).toBeDefined()
  expect(again.state.location.pathname).toBe('/dashboard/chats')
})

const update = (fields: Partial<Update>): Update => ({
  ...{ kind: 'mention', clientId: ADA, epoch: 'epoch', seq: 0, n: 1, by: OTHER_ADMIN_ID },
  ...{ at: new Date(Date.now() - 120_000).toISOString(), name: null, text: '@Grace please', isSeen: false },
  ...fields,
})
const bell = (name: string) => screen.findByRole('button', { name })

test('the bell lists what concerns the admin, and leads to its place', async () => {
  write(ADA, 'hello')
  updates = [
    update({ kind: 'reply', clientId: BEN, seq: 2, n: 0, by: null, text: 'Are you there?', name: 'Ben' }),
    update({}),
    update({ kind: 'assignment', clientId: BEN, n: 3, text: '', isSeen: true }),
  ]
  const router = open('/dashboard/chats')
  await userEvent.click(await bell('Notifications, 2 new'))
  const dialog = await screen.findByRole('dialog', { name: 'Notifications', hidden: true })
  await waitFor(() =>
    expect(
      [...dialog.querySelectorAll('li')].map((row) => row.querySelector('.updates-title')?.textContent),
    ).toEqual([
      'New: Ben wrote',
      `New: Hopper mentioned you in ${aliasOf(ADA)}`,
      `Hopper assigned ${aliasOf(BEN)} to you`,
    ]),
  )
  expect([...dialog.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual([
    `/dashboard/messages/${BEN}?seq=2`,
    `/dashboard/messages/${ADA}?n=1`,
    `/dashboard/messages/${BEN}?n=3`,
  ])
  fireEvent.click(within(dialog).getByText('Mark all as seen'))
  expect(await bell('Notifications')).toBeDefined()
  await waitFor(() =>
    expect(seen).toEqual([
      { clientId: BEN, epoch: 'epoch', seq: 2, n: 0 },
      { clientId: ADA, epoch: 'epoch', seq: 0, n: 1 },
    ]),
  )
  fireEvent.click(within(dialog).getByText('Ben wrote'))
  await waitFor(() => expect(router.state.location.search).toBe('?seq=2'))
  expect(screen.queryByRole('dialog', { hidden: true })).toBeNull()
})

test('a new mention shows a toast, a count and a mark on its row', async () => {
  write(ADA, 'hello')
  updates = [update({ n: 1, isSeen: true })]
  open('/dashboard/chats')
  await screen.findByRole('button', { name: 'Notifications' })
  await waitFor(() => expect(rows()).toHaveLength(1))
  expect(screen.queryByText('Mentioned you')).toBeNull()
  updates = [update({ n: 2 }), ...updates]
  expect(await bell('Notifications, 1 new')).toBeDefined()
  expect(await screen.findByText('Mentioned you')).toBeDefined()
  const toasts = await screen.findByRole('region', { name: 'Notices' })
  const words = `Hopper mentioned you in ${aliasOf(ADA)}`
  await waitFor(() => expect(within(toasts).getAllByText(words)).toHaveLength(1))
})

test('what another admin has read stays new to this one', async () => {
  write(ADA, 'hello')
  write(BEN, 'hello')
  read.set(ADA, 1).set(BEN, 1)
  ownSeen.set(BEN, 1)
  open('/dashboard/chats')
  await waitFor(() => expect(rows()).toEqual([ADA, BEN]))
  const [, ada, ben] = screen.getAllByRole('row')
  expect([ada?.dataset.new, ben?.dataset.new]).toEqual(['true', 'false'])
  expect([ada?.dataset.unread, ben?.dataset.unread]).toEqual(['false', 'false'])
})

test('an empty list shows the message of the server', async () => {
  open('/dashboard/chats')
  expect(screen.getByText('Loading')).toBeDefined()
  expect(await screen.findByText('No messages found!')).toBeDefined()
})

test('the list shows waiting visitors, last messages and unread counts, page by page', async () => {
  write(ADA, 'Good morning')
  write(ADA, 'Answered already', ADMIN_ID)
  write(BEN, 'Is anybody there?')
  write(BEN, 'Hello?')
  const third = `Cat${'0'.repeat(17)}`
  write(third, 'Me too')
  open('/dashboard/chats')

  await waitFor(() => expect(rows()).toEqual([`${BEN}2 unread`, `${third}1 unread`, `${ADA}1 unread`]))
  const ben = screen.getAllByRole('row')[1] as HTMLElement
  expect(ben.dataset.unread).toBe('true')
  expect(within(ben).getAllByRole('cell')[0]?.textContent).toBe('1')
  expect(within(ben).getByText('Hello?')).toBeDefined()
  expect(within(ben).getByRole('link', { name: viewOf(BEN) })).toHaveProperty(
    'pathname',
    `/dashboard/messages/${BEN}`,
  )
  expect(screen.getByText('Answered')).toBeDefined()
})

test('the list says who wrote the last message, unless it was the visitor', async () => {
  write(ADA, 'from the visitor')
  write(BEN, 'first')
  write(BEN, 'from me', ADMIN_ID)
  const third = `Cat${'0'.repeat(17)}`
  write(third, 'first')
  write(third, 'from a colleague', OTHER_ADMIN_ID)
  open('/dashboard/chats')
  const words = (text: string) => screen.getByText(text).parentElement?.textContent
  await waitFor(() => expect(words('from a colleague')).toBe('Hopper: from a colleague'))
  expect(words('from the visitor')).toBe('from the visitor')
  // On the next page.
  await waitFor(() => expect(words('from me')).toBe('You: from me'))
})

test('the list updates live', async () => {
  write(ADA, 'first')
  open('/dashboard/chats')
  await waitFor(() => expect(rows()).toEqual([`${ADA}1 unread`]))
  write(BEN, 'second')
  await waitFor(() => expect(rows()).toEqual([`${ADA}1 unread`, `${BEN}1 unread`]))
  write(ADA, 'an answer by a colleague', OTHER_ADMIN_ID)
  await waitFor(() => expect(rows()).toEqual([`${BEN}1 unread`, `${ADA}1 unread`]))
})

test('rows keep their order while the pointer moves, and are sorted when it rests', async () => {
  write(ADA, 'first')
  write(BEN, 'second')
  open('/dashboard/chats')
  await waitFor(() => expect(rows()).toEqual([`${ADA}1 unread`, `${BEN}1 unread`]))
  write(ADA, 'an answer by a colleague', OTHER_ADMIN_ID)
  await waitFor(() => {
    fireEvent.pointerMove(screen.getByRole('table'))
    expect(screen.getByText('Answered')).toBeDefined()
  })
  expect(rows()).toEqual([`${ADA}1 unread`, `${BEN}1 unread`])
  await waitFor(() => expect(rows()).toEqual([`${BEN}1 unread`, `${ADA}1 unread`]))
})

test('the keyboard moves through rows and opens one', async () => {
  write(ADA, 'first')
  write(BEN, 'second')
  const router = open('/dashboard/chats')
  const user = userEvent.setup()
  const first = await screen.findByRole('link', { name: viewOf(ADA) })
  first.focus()
  await user.keyboard('j')
  expect(document.activeElement).toBe(screen.getByRole('link', { name: viewOf(BEN) }))
  await user.keyboard('k')
  expect(document.activeElement).toBe(first)
  await user.keyboard('{ArrowDown}{Enter}')
  await waitFor(() => expect(router.state.location.pathname).toBe(`/dashboard/messages/${BEN}`))
})

test('the support icon and one sound announce unread messages', async () => {
  open('/dashboard/chats')
  expect(await screen.findByRole('link', { name: 'Support, 0 unread messages' })).toBeDefined()
  write(ADA, 'first')
  expect(await screen.findByRole('link', { name: 'Support, 1 unread message' })).toBeDefined()
  await waitFor(() => expect(played).toHaveLength(1))
  expect(played[0]).toContain('unread')
})

test('plays no sound when muted', async () => {
  open('/dashboard/chats')
  await userEvent.click(await screen.findByRole('button', { name: 'Mute sounds', pressed: false }))
  write(ADA, 'first')
  expect(await screen.findByRole('link', { name: 'Support, 1 unread message' })).toBeDefined()
  expect(played).toEqual([])
  await userEvent.click(screen.getByRole('button', { name: 'Mute sounds', pressed: true }))
})

test('a 403 after a token refresh is shown and not retried', async () => {
  const forbidden = () =>
    HttpResponse.json({ message: 'Not for you.', code: 'forbidden', requestId: 'r1' }, { status: 403 })
  server.use(http.get(`${API}/chat`, forbidden))
  open('/dashboard/chats')
  expect((await screen.findByRole('alert')).textContent).toContain('Not for you.')
  expect(asked.filter((call) => call === 'GET /api/chat')).toHaveLength(2)
})

test('a conversation shows own messages on the other side than all others', async () => {
  write(ADA, 'from the visitor')
  write(ADA, 'from me', ADMIN_ID)
  write(ADA, 'from a colleague', OTHER_ADMIN_ID)
  open(`/dashboard/messages/${ADA}`)
  const log = await screen.findByRole('log')
  await within(log).findByText('from me')
  const sides = within(log)
    .getAllByRole('listitem')
    .filter((item) => item.matches('.chat-row'))
    .map((item) => [item.querySelector('.chat-bubble')?.textContent, item.dataset.mine === 'true'])
  expect(sides).toEqual([
    [`${aliasOf(ADA)}: from the visitor`, false],
    ['You: from me', true],
    ['Hopper: from a colleague', false],
  ])
})

test('a reply is sent once, and a message of the visitor meanwhile is shown', async () => {
  write(ADA, 'question')
  open(`/dashboard/messages/${ADA}`)
  await screen.findByText('question')
  await userEvent.type(screen.getByRole('textbox'), 'answer{Enter}')
  await waitFor(() => expect(of(ADA).map(({ message }) => message)).toEqual(['question', 'answer']))
  await waitFor(() => expect(screen.queryByText('Sending...')).toBeNull())
  write(ADA, 'thanks')
  expect(await screen.findByText('thanks')).toBeDefined()
  expect(of(ADA)).toHaveLength(3)
})

test('a refused reply shows its reason in a toast and stays in the conversation', async () => {
  write(ADA, 'question')
  open(`/dashboard/messages/${ADA}`)
  await screen.findByText('question')
  await userEvent.type(screen.getByRole('textbox'), 'blocked words{Enter}')
  const notices = await screen.findByRole('region', { name: 'Notices' })
  expect(await within(notices).findByText('We cannot take this.')).toBeDefined()
  expect(within(screen.getByRole('log')).getByText('blocked words')).toBeDefined()
  expect(await screen.findByRole('button', { name: 'Retry' })).toBeDefined()
})

test('a draft is restored with its conversation', async () => {
  write(ADA, 'first')
  write(BEN, 'second')
  const router = open(`/dashboard/messages/${ADA}`)
  await userEvent.type(await screen.findByRole('textbox'), 'half a sen')
  await userEvent.click(await screen.findByRole('link', { name: 'Next in line' }))
  expect(router.state.location.pathname).toBe(`/dashboard/messages/${BEN}`)
  await screen.findByText('second', { selector: '.chat-text' })
  expect(screen.getByRole('textbox')).toHaveProperty('value', '')
  await userEvent.keyboard('{Alt>}j{/Alt}')
  await waitFor(() => expect(screen.getByRole('textbox')).toHaveProperty('value', 'half a sen'))
})

test('a conversation stops polling after leaving it', async () => {
  write(ADA, 'first')
  open(`/dashboard/messages/${ADA}`)
  await screen.findByText('first')
  await userEvent.click(screen.getByRole('link', { name: 'All conversations' }))
  await waitFor(() => expect(rows()).toHaveLength(1))
  const of = (path: string) => asked.filter((call) => call === `GET ${path}`).length
  const before = of(`/api/chat/admin/${ADA}`)
  const counted = of('/api/chat/unread/count')
  await waitFor(() => expect(of('/api/chat/unread/count')).toBeGreaterThan(counted + 3))
  expect(of(`/api/chat/admin/${ADA}`)).toBeLessThanOrEqual(before + 1)
})

test('an address without a valid clientId shows an error', async () => {
  open('/dashboard/messages/short')
  expect(await screen.findByRole('heading', { name: 'Conversation not found' })).toBeDefined()
})

test('a visitor has no conversation before their first message', async () => {
  open(`/dashboard/messages/${ADA}`)
  expect(await screen.findByText('No messages yet')).toBeDefined()
  expect(screen.queryByRole('textbox')).toBeNull()
  write(ADA, 'here I am')
  expect(await screen.findByText('here I am')).toBeDefined()
  expect(screen.getByRole('textbox')).toBeDefined()
})

test('signing out leads to the login', async () => {
  const router = open('/dashboard/chats')
  await userEvent.click(await screen.findByRole('button', { name: 'Sign out' }))
  expect(await screen.findByText('the login')).toBeDefined()
  expect(router.state.location.pathname).toBe('/login')
  expect(useAuth.getState().userName).toBeNull()
})
