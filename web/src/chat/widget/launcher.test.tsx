import type { Message, Page } from '@proctorpass/shared/schemas/chat'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { useEffect } from 'react'
import { toast } from 'react-hot-toast/headless'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { useLiveChat } from '../../lib/live-chat-store.ts'
import { played } from '../../testing/fake-howler.ts'
import { withoutLayout } from '../../testing/no-layout.ts'
import { http } from '../../testing/our-http.ts'
import { API, givePageState, testConfig } from '../../testing/page-state.ts'
import { setMuted } from '../alerts/sounds.ts'
import { useChatState } from './chat-state.ts'
import { Launcher } from './launcher.tsx'

vi.mock('howler/dist/howler.core.min.js', () => import('../../testing/fake-howler.ts'))

const ADMIN = 'a'.repeat(24)
const config = {
  ...testConfig,
  chat: { transport: 'polling' as const, pollMs: 20, unreadPollMs: 40 },
}

const chatState = {
  open: true,
  opensAt: null,
  away: { en: '', zh: '' },
  greeting: { en: '', zh: '' },
  preChat: { name: 'off', email: 'off', examAt: 'off' },
  files: false,
  filesNotice: { en: '', zh: '' },
  rating: false,
  cards: [],
  mail: false,
  waitMinutes: null,
}
const QUICK = { en: ['What does it cost?', 'My exam is today'], zh: [] }

let stored: Message[] = []
let readByVisitor = 0
let asked: string[] = []
/** Requests without an answer. */
let underWay = 0
let answering: Promise<void> = Promise.resolve()

const server = setupServer(
  http.get(`${API}/chat/:clientId`, ({ request }) => {
    const after = Number(new URL(request.url).searchParams.get('after') ?? 0)
    return HttpResponse.json({
      messages: stored.filter(({ seq }) => seq > after),
      seq: stored.length,
      epoch: stored.length > 0 ? 'epoch' : '',
      more: false,
      read: { visitor: readByVisitor, admin: 0 },
      transport: 'polling',
    } satisfies Page)
  }),
  http.post<{ clientId: string }, { seq: number }>(`${API}/chat/:clientId/read`, async ({ request }) => {
    readByVisitor = (await request.json()).seq
    return HttpResponse.json({ seq: readByVisitor, adminUnread: 0 })
  }),
  http.post<never, { clientId: string; message: string; nonce: string }>(
    `${API}/chat`,
    async ({ request }) => {
      const { clientId, message, nonce } = await request.json()
      await answering
      return HttpResponse.json({ message: 'Sent', data: write(clientId, message, nonce) }, { status: 201 })
    },
  ),
  http.patch(`${API}/chat/:clientId/profile`, () => HttpResponse.json({ message: 'Details saved' })),
  http.get(`${API}/config`, () => HttpResponse.json(config)),
)

function write(senderId: string, message: string, nonce = `nonce-${stored.length}`): Message {
  const seq = stored.length + 1
  const written: Message = {
    _id: String(seq).padStart(24, '0'),
    clientId: localStorage.getItem('clientId') ?? '',
    senderId,
    message,
    createdAt: new Date().toISOString(),
    seq,
    epoch: 'epoch',
    nonce,
  }
  stored.push(written)
  return written
}

beforeAll(async () => {
  // Modules that are imported on demand: the first import is slow on a busy machine.
  await Promise.all([import('./card.tsx'), import('./panel.tsx'), import('./later.ts')])
  server.listen({ onUnhandledFrame: 'error' })
  server.events.on('request:start', ({ request }) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`)
    underWay += 1
  })
  server.events.on('request:end', () => {
    underWay -= 1
  })
  givePageState({ config })
}, 120_000)
afterAll(() => server.close())

beforeEach(() => {
  withoutLayout()
  // jsdom is never busy.
  vi.stubGlobal('requestIdleCallback', (callback: () => void) => setTimeout(callback))
  vi.stubGlobal('cancelIdleCallback', clearTimeout)
  localStorage.clear()
  localStorage.setItem('clientId', 'Visitor0000000000001')
  useLiveChat.setState({ open: true, shown: 'nothing', openedByUser: false, quickReply: null })
  useChatState.setState(null, true)
  setMuted(false)
  document.title = 'Home'
  stored = []
  readByVisitor = 0
  asked = []
  played.length = 0
  answering = Promise.resolve()
})
afterEach(async () => {
  cleanup()
  // Or they would come into the next test.
  await waitFor(() => expect(underWay).toBe(0))
  server.resetHandlers()
  toast.remove()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const button = () => screen.getByRole('button', { name: /^Live chat/ })
const panel = () =>
  screen.findByRole('dialog', { name: 'Welcome to ProctorPass, Solution For Proctored Exams' })
const noPanel = () => expect(screen.queryByRole('dialog')).toBeNull()
const box = () => screen.findByPlaceholderText('Type your message...')

async function openPanel() {
  render(<Launcher />)
  await userEvent.click(await screen.findByRole('button', { name: /^Live chat/ }))
  await panel()
}

/** A visitor with a closed chat that has been read. */
async function closedConversation() {
  localStorage.setItem('chat:exists', 'true')
  act(() => useLiveChat.getState().setOpen(false))
  write('Visitor0000000000001', 'hello')
  write(ADMIN, 'welcome')
  readByVisitor = 2
  render(
    <main>
      <Launcher />
    </main>,
  )
  await screen.findByRole('button', { name: 'Live chat, you have messages' })
}

describe('Launcher', () => {
  it('opens as a card when the page is idle, with one request and nothing of the panel', async () => {
    const answer = http.get(`${API}/config`, () =>
      HttpResponse.json({ ...config, chat: { ...config.chat, ...chatState, quickReplies: QUICK } }),
    )
    server.use(answer)
    render(<Launcher />)
    const card = await screen.findByRole('complementary', {
      name: 'Welcome to ProctorPass, Solution For Proctored Exams',
    })
    await waitFor(() => expect(card.dataset.placed).toBe('true'))
    noPanel()
    expect(asked).toEqual(['GET /api/config'])
    expect(button().getAttribute('aria-expanded')).toBe('false')
    expect(screen.getByRole('button', { name: 'My exam is today' })).toBeTruthy()
    // It neither takes the focus nor interrupts a screen reader.
    expect(document.activeElement).toBe(document.body)
    expect(card.closest('[aria-live]')?.getAttribute('aria-live')).toBe('polite')

    await userEvent.click(screen.getByRole('button', { name: /^Hi! Tell us which exam/ }))
    const opened = await panel()
    expect(screen.queryByRole('complementary')).toBeNull()
    expect(button().getAttribute('aria-controls')).toBe(opened.id)
    await screen.findByText('Connected')
    for (const name of ['WhatsApp', 'Discord', 'Telegram']) expect(screen.getByText(name)).toBeTruthy()
    expect(screen.getByRole('link', { name: '@proctorpass' }).getAttribute('href')).toBe(
      'https://t.me/proctorpass',
    )
    expect(screen.getByText('Powered by ProctorPass - Online Support')).toBeTruthy()
  })

  it('opens on a press that comes just before its card, also on a small screen', async () => {
    vi.spyOn(window, 'matchMedia').mockReturnValue({
      matches: true,
      addEventListener() {},
      removeEventListener() {},
    } as never)
    let settle = () => {}
    vi.stubGlobal('requestIdleCallback', (callback: () => void) => {
      settle = callback
    })
    /** Its effect runs once the page is idle, before that of the launcher. */
    function Press({ pressed }: { pressed: boolean }) {
      useEffect(() => {
        if (pressed) useLiveChat.getState().toggle()
      }, [pressed])
      return null
    }
    const page = (pressed: boolean) => (
      <>
        <Press pressed={pressed} />
        <Launcher />
      </>
    )
    const { rerender } = render(page(false))
    await screen.findByRole('button', { name: /^Live chat/ })
    act(() => {
      settle()
      rerender(page(true))
    })
    await panel()
    expect(screen.queryByRole('complementary')).toBeNull()
  })

  it('sends the quick reply that was pressed on the card', async () => {
    server.use(
      http.get(`${API}/config`, () =>
        HttpResponse.json({ ...config, chat: { ...config.chat, ...chatState, quickReplies: QUICK } }),
      ),
    )
    render(<Launcher />)
    await userEvent.click(await screen.findByRole('button', { name: 'My exam is today' }))
    await panel()
    await waitFor(() => expect(stored.map(({ message }) => message)).toEqual(['My exam is today']))
    expect(await box()).toHaveProperty('value', '')
  })

  it.each(['card', 'panel'] as const)(
    'keeps a quick reply of the %s until a required field is filled in, beside the typed text',
    async (place) => {
      localStorage.setItem('draft:visitor', 'Hello,')
      server.use(
        http.get(`${API}/config`, () =>
          HttpResponse.json({
            ...config,
            chat: {
              ...config.chat,
              ...chatState,
              quickReplies: QUICK,
              preChat: { name: 'off', email: 'required', examAt: 'off' },
            },
          }),
        ),
      )
      render(<Launcher />)
      if (place === 'panel') await userEvent.click(button())
      await userEvent.click(await screen.findByRole('button', { name: 'My exam is today' }))
      await panel()
      const email = await screen.findByLabelText('Email')
      await waitFor(async () => expect(await box()).toHaveProperty('value', 'Hello,\nMy exam is today'))
      await waitFor(() => expect(document.activeElement).toBe(email))
      expect(stored).toEqual([])
      await userEvent.click(await screen.findByRole('button', { name: 'My exam is today' }))
      await userEvent.type(email, 'sam@example.com{Enter}')
      await waitFor(() => expect(stored.map(({ message }) => message)).toEqual(['Hello,\nMy exam is today']))
      // Reported, or the answer would keep the address in the next test.
      await waitFor(() => expect(localStorage.getItem('chat:said')).toContain('"epoch":"epoch"'))
    },
  )

  it.each([
    ['is a sheet on a small screen', { small: true }],
    ['closes again', {}],
  ])('opens the panel by a press of the card, which %s', async (_, screenSize) => {
    withoutLayout(screenSize)
    const { container } = render(
      <>
        <main>the page</main>
        <Launcher />
      </>,
    )
    await userEvent.click(await screen.findByRole('button', { name: /^Hi! Tell us which exam/ }))
    const sheet = await panel()
    const isSheet = 'small' in screenSize
    expect(sheet.getAttribute('aria-modal')).toBe(isSheet ? 'true' : null)
    const main = container.querySelector('main')
    await waitFor(() => expect(main?.hasAttribute('inert')).toBe(isSheet))
    await userEvent.click(screen.getByRole('button', { name: 'Close chat' }))
    noPanel()
    expect(main?.hasAttribute('inert')).toBe(false)
  })

  it('does not stand over what the page is used with', async () => {
    const card = DOMRect.fromRect({ x: 900, y: 400, width: 300, height: 200 })
    const rects = vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (
      this: Element,
    ) {
      return this.tagName === 'TEXTAREA' || this.className === 'chat-card' ? card : new DOMRect()
    })
    vi.spyOn(Element.prototype, 'getClientRects').mockImplementation(function (this: Element) {
      return [this.getBoundingClientRect()] as unknown as DOMRectList
    })
    render(
      <>
        <textarea aria-label="Message" />
        <Launcher />
      </>,
    )
    await waitFor(() => expect(useLiveChat.getState().shown).toBe('button'))
    expect(screen.queryByRole('complementary')).toBeNull()
    rects.mockRestore()
    // A press of the button opens the panel.
    await userEvent.click(button())
    await panel()
  })

  it('opens the panel by itself for a visitor who left it open', async () => {
    localStorage.setItem('liveChat', 'true')
    render(<Launcher />)
    await panel()
    expect(document.activeElement).toBe(document.body)
  })

  it('is closed by the button of its card, also on the next page', async () => {
    render(<Launcher />)
    await userEvent.click(await screen.findByRole('button', { name: 'Dismiss' }))
    expect(screen.queryByRole('complementary')).toBeNull()
    expect(document.activeElement).toBe(button())
    expect(localStorage.getItem('liveChat')).toBe('false')
  })

  it('stays closed on the next page after it was closed', async () => {
    await openPanel()
    await userEvent.click(screen.getByRole('button', { name: 'Close chat' }))
    noPanel()
    expect(document.activeElement).toBe(button())
    expect(localStorage.getItem('liveChat')).toBe('false')
  })

  it('opens on a press with the focus in the message box, and Escape returns the focus', async () => {
    useLiveChat.setState({ open: false })
    render(<Launcher />)
    await userEvent.click(button())
    await panel()
    await waitFor(async () => expect(document.activeElement).toBe(await box()))
    await userEvent.keyboard('{Escape}')
    noPanel()
    expect(document.activeElement).toBe(button())
  })

  it('starts over when the server refuses its visitor, and loses no message', async () => {
    const posts: { clientId: string; message: string; authorization: string | null }[] = []
    const refused = HttpResponse.json(
      { code: 'forbidden', requestId: 'r1', message: 'Not yours.' },
      { status: 403 },
    )
    server.use(
      http.get(`${API}/chat/Visitor0000000000001`, () => refused.clone() as never),
      http.post<never, { clientId: string; message: string; nonce: string }>(
        `${API}/chat`,
        async ({ request }) => {
          const { clientId, message, nonce } = await request.clone().json()
          posts.push({ clientId, message, authorization: request.headers.get('authorization') })
          if (clientId === 'Visitor0000000000001') return refused.clone() as never
          return HttpResponse.json(
            { message: 'Sent', data: write(clientId, message, nonce) },
            { status: 201 },
          )
        },
      ),
    )
    localStorage.setItem('draft:visitor', 'half a sent')
    await openPanel()
    expect(await box()).toHaveProperty('value', 'half a sent')
    await userEvent.type(await box(), 'ence{Enter}')
    await waitFor(() => expect(stored.map(({ message }) => message)).toEqual(['half a sentence']))
    const clientId = localStorage.getItem('clientId')
    expect(clientId).toMatch(/^[A-Za-z0-9]{20}$/)
    expect(clientId).not.toBe('Visitor0000000000001')
    expect(posts.at(-1)).toEqual({
      clientId,
      message: 'half a sentence',
      authorization: `Visitor ${localStorage.getItem('clientKey')}`,
    })
    await waitFor(() =>
      expect(Object.keys(localStorage).filter((key) => key.startsWith('outbox:'))).toEqual([]),
    )
  })

  it('starts over only once when the server refuses every visitor', async () => {
    const seen = new Set<string>()
    server.use(
      http.get<{ clientId: string }>(`${API}/chat/:clientId`, ({ params }) => {
        // A request of the test before may still come.
        if (seen.size > 0 || params.clientId === 'Visitor0000000000001') seen.add(params.clientId)
        return HttpResponse.json(
          { code: 'forbidden', requestId: 'r1', message: 'Not yours.' },
          { status: 403 },
        ) as never
      }),
    )
    await openPanel()
    await screen.findByText('Not yours.')
    await waitFor(() => expect(seen.size).toBe(2))
    const before = asked.length
    await waitFor(() => expect(asked.length).toBeGreaterThan(before + 1))
    expect(seen.size).toBe(2)
  })

  it('shows a pending message, dimmed and with a spinner, until it is acknowledged', async () => {
    let answer = () => {}
    answering = new Promise((resolve) => {
      answer = resolve
    })
    await openPanel()
    await userEvent.type(await box(), 'hello{Enter}')
    await screen.findByText('Sending...')
    expect(screen.getByRole('button', { name: 'Send' }).querySelector('.spinner')).not.toBeNull()
    answer()
    await waitFor(() => expect(screen.queryByText('Sending...')).toBeNull())
    expect(screen.getByRole('button', { name: 'Send' }).querySelector('.spinner')).toBeNull()
    expect(screen.getByText('hello').closest('li')?.hasAttribute('data-mine')).toBe(true)
    expect(localStorage.getItem('chat:exists')).toBe('true')
    await screen.findByRole('button', { name: 'Live chat, you have messages' })
  })

  it('is opened by a new message, with a toast and a sound', async () => {
    await closedConversation()
    noPanel()
    write(ADMIN, 'are you there?')
    await panel()
    expect(useLiveChat.getState().open).toBe(true)
    await screen.findByText('You have a new message!')
    await waitFor(() => expect(played).toEqual([expect.stringContaining('message')]))
    await screen.findByText('are you there?')
  })

  it('shows no toast and plays no sound for messages of earlier visits, also unread ones', async () => {
    localStorage.setItem('chat:exists', 'true')
    act(() => useLiveChat.getState().setOpen(false))
    write(ADMIN, 'while you were away')
    render(<Launcher />)
    await screen.findByRole('button', { name: 'Live chat, 1 unread message' })
    // By the module that is loaded for the first unread message.
    await waitFor(() => expect(document.title).toBe('(1) Home'))
    noPanel()
    expect(played).toEqual([])
  })

  it('is silent when muted', async () => {
    await closedConversation()
    setMuted(true)
    write(ADMIN, 'are you there?')
    await panel()
    await screen.findByText('are you there?')
    expect(played).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'More', expanded: false }))
    await userEvent.click(await screen.findByRole('button', { name: 'Mute sounds', pressed: true }))
    expect(localStorage.getItem('muted')).toBeNull()
  })

  it('plays a sound in a hidden tab, and counts in its title until it is visible', async () => {
    await openPanel()
    await screen.findByText('Connected')
    await userEvent.type(await box(), 'hello{Enter}')
    await waitFor(() => expect(stored).toHaveLength(1))
    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    write(ADMIN, 'one')
    await screen.findByText('one')
    write(ADMIN, 'two')
    await screen.findByText('two')
    await waitFor(() => expect(document.title).toBe('(2) Home'))
    // Waits for both sounds, or the second plays in the next test.
    await waitFor(() => expect(played).toHaveLength(2))
    expect(readByVisitor).toBe(0)

    visibility.mockReturnValue('visible')
    fireEvent(document, new Event('visibilitychange'))
    await waitFor(() => expect(document.title).toBe('Home'))
    await waitFor(() => expect(readByVisitor).toBe(3))
  })

  it('shows the away words above the answers that came later', async () => {
    server.use(
      http.get(`${API}/config`, () =>
        HttpResponse.json({
          ...config,
          chat: { ...config.chat, ...chatState, open: false, away: { en: 'We are asleep.', zh: '' } },
        }),
      ),
    )
    localStorage.setItem('chat:exists', 'true')
    write('Visitor0000000000001', 'Is my webcam good enough?')
    render(<Launcher />)
    await panel()
    await screen.findByText('We are asleep.')
    write(ADMIN, 'Yes, it is.')
    write(ADMIN, 'Good luck!')
    await screen.findByText('Good luck!')
    const order = () => {
      const log = screen.getByRole('log').textContent ?? ''
      const texts = ['Is my webcam', 'We are asleep.', 'Yes, it is.', 'Good luck!', 'Thanks']
      return texts.filter((text) => log.includes(text)).sort((a, b) => log.indexOf(a) - log.indexOf(b))
    }
    expect(order()).toEqual(['Is my webcam', 'We are asleep.', 'Yes, it is.', 'Good luck!'])
    await userEvent.type(await box(), 'Thanks{Enter}')
    await waitFor(() =>
      expect(order()).toEqual(['Is my webcam', 'Yes, it is.', 'Good luck!', 'Thanks', 'We are asleep.']),
    )
  })

  it('plays no sound while the panel is visible', async () => {
    await openPanel()
    await userEvent.type(await box(), 'hello{Enter}')
    await waitFor(() => expect(stored).toHaveLength(1))
    write(ADMIN, 'hi')
    await screen.findByText('hi')
    await waitFor(() => expect(readByVisitor).toBe(2))
    expect(played).toEqual([])
  })

  it('shows a new message on a small screen as a card, not as a sheet', async () => {
    withoutLayout({ small: true })
    await closedConversation()
    write(ADMIN, 'are you there?')
    await screen.findByRole('button', { name: 'are you there?' })
    noPanel()
    await screen.findByText('You have a new message!')
    expect(readByVisitor).toBe(2)
  })
})
