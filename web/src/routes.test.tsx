import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { useLiveChat } from './lib/live-chat-store.ts'
import { SiteConfigContext } from './lib/site-config.ts'
import { isClientRendered, isDashboardPath, routes } from './routes.tsx'
import { withoutLayout } from './testing/no-layout.ts'
import { http } from './testing/our-http.ts'
import { API, givePageState, testConfig } from './testing/page-state.ts'
import { sampleApi } from './testing/sample-content.ts'

const api = sampleApi({ posts: 18, reviews: 31 })
const server = setupServer(
  http.get(`${API}/*`, ({ request }) => {
    const { status, body } = api.answer(request.url.slice(API.length))
    return HttpResponse.json(body as object, { status })
  }),
)

beforeAll(() => {
  givePageState()
  server.listen({ onUnhandledFrame: 'error' })
})
afterAll(() => server.close())
afterEach(() => {
  server.resetHandlers()
  vi.unstubAllGlobals()
  window.scrollY = 0
})

async function visit(...paths: string[]) {
  withoutLayout()
  // The chat would open after a moment, with requests and errors of its own.
  useLiveChat.setState({ open: false })
  window.scrollTo = () => {}
  const router = createMemoryRouter(routes, { initialEntries: paths })
  render(
    <SiteConfigContext value={testConfig}>
      <RouterProvider router={router} />
    </SiteConfigContext>,
  )
  await screen.findByRole('heading', { level: 1 })
  return router
}

describe('a public page', () => {
  it('has header, footer and a skip link', async () => {
    await visit('/')
    expect(screen.getByRole('link', { name: 'Skip to content' })).toHaveProperty('hash', '#main')
    expect(screen.getByRole('main').id).toBe('main')
    expect(screen.getByRole('link', { name: 'ProctorPass' })).toHaveProperty('pathname', '/')
    expect(screen.getByRole('contentinfo').textContent).toContain(`© ${new Date().getFullYear()} ProctorPass`)
    const mail = within(screen.getByRole('contentinfo')).getByRole('link', { name: testConfig.supportEmail })
    expect(mail).toHaveProperty('href', `mailto:${testConfig.supportEmail}`)
  })

  it('tints its header once it is scrolled more than 70 pixels', async () => {
    await visit('/')
    const header = screen.getByRole('banner')
    const scrollTo = (y: number) =>
      act(() => {
        window.scrollY = y
        window.dispatchEvent(new Event('scroll'))
      })
    scrollTo(70)
    expect(header.dataset.tinted).toBe('false')
    // The scroll listener is attached in an effect, which may run after the heading is found.
    await waitFor(() => {
      scrollTo(71)
      expect(header.dataset.tinted).toBe('true')
    })
  })

  it('gets title and focus after a navigation', async () => {
    const router = await visit('/')
    expect(document.title).toBe('ProctorPass: get ready for your proctored exam')
    expect(document.activeElement).toBe(document.body)
    await act(() => router.navigate('/unauthorized'))
    expect(document.title).toBe('Unauthorized · ProctorPass')
    expect(document.activeElement).toBe(screen.getByRole('main'))
  })
})

describe('the chat launcher', () => {
  it('is on public pages, also on the not-found page', async () => {
    await visit('/nothing-here')
    expect(await screen.findByRole('button', { name: 'Live chat' })).toBeDefined()
  })

  it.each(['/login', '/invite', '/c', '/c/unsubscribe', '/x/DashBoard-tour', '/my-Login-help'])(
    'is not on %s',
    async (path) => {
      await visit(path)
      // Waits as long as it takes to appear on other pages.
      await import('./chat/widget/launcher.tsx')
      await act(async () => {})
      expect(screen.queryByRole('button', { name: 'Live chat' })).toBeNull()
    },
  )
})

describe('the page for the unauthorized', () => {
  it('goes back one step', async () => {
    const router = await visit('/', '/unauthorized')
    expect(screen.getByRole('heading', { name: 'Unauthorized' })).toBeDefined()
    expect(screen.getByText('You do not have access to the requested page.')).toBeDefined()
    await userEvent.click(screen.getByRole('button', { name: 'Go Back' }))
    // Once the page has read its lists.
    await waitFor(() => expect(router.state.location.pathname).toBe('/'))
  })
})

describe('the error screen', () => {
  it('shows the error', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const [root] = routes
    const broken = [
      { ...root, children: [{ path: '/', loader: () => Promise.reject(new Error('Out of ink')) }] },
    ]
    render(<RouterProvider router={createMemoryRouter(broken as typeof routes)} />)
    expect(await screen.findByRole('heading', { name: 'Unexpected Application Error!' })).toBeDefined()
    expect(screen.getByText('Out of ink')).toBeDefined()
    vi.restoreAllMocks()
  })
})

describe('the tree', () => {
  it('has an explicit id on every route', () => {
    const walk = (branch: typeof routes): string[] =>
      branch.flatMap(({ id, children }) => [id ?? 'missing', ...walk(children ?? [])])
    const ids = walk(routes)
    expect(ids).not.toContain('missing')
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('leaves only login, links and dashboard to the browser, no path that merely begins like them', () => {
    expect(
      [
        '/login',
        '/Login/',
        '/invite',
        '/c',
        '/c/unsubscribe',
        '/dashboard',
        '/dashboard/chats',
        '/DASHBOARD',
      ].every(isClientRendered),
    ).toBe(true)
    expect(
      ['/', '/contact', '/login-help', '/invites', '/dashboards', '/x/dashboard'].some(isClientRendered),
    ).toBe(false)
    expect(isDashboardPath('/login')).toBe(false)
  })
})
