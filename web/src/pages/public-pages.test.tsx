import { act, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { useLiveChat } from '../lib/live-chat-store.ts'
import { SiteConfigContext } from '../lib/site-config.ts'
import { routes } from '../routes.tsx'
import { withoutLayout } from '../testing/no-layout.ts'
import { http } from '../testing/our-http.ts'
import { API, givePageState, testConfig } from '../testing/page-state.ts'
import { sampleApi } from '../testing/sample-content.ts'

let api = sampleApi()
/** Responses wait for it. */
let gate: Promise<void> = Promise.resolve()
let isDown = false

const server = setupServer(
  http.get(`${API}/*`, async ({ request }) => {
    await gate
    if (isDown)
      return HttpResponse.json(
        { message: 'Out of order', code: 'internal', requestId: 'r1' },
        { status: 500 },
      )
    const { status, body } = api.answer(request.url.slice(API.length))
    return HttpResponse.json(body as object, { status })
  }),
)

beforeAll(() => {
  givePageState()
  server.listen({ onUnhandledFrame: 'error' })
})
beforeEach(() => {
  api = sampleApi({ posts: 18, reviews: 31 })
  gate = Promise.resolve()
  isDown = false
  // The chat would open after a moment, with requests and errors of its own.
  useLiveChat.setState({ open: false })
  withoutLayout()
  window.scrollTo = () => {}
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
afterAll(() => server.close())

async function visit(path: string) {
  const router = createMemoryRouter(routes, { initialEntries: [path] })
  render(
    <SiteConfigContext value={testConfig}>
      <RouterProvider router={router} />
    </SiteConfigContext>,
  )
  await screen.findByRole('heading', { level: 1 })
  return router
}

function closed() {
  let open = () => {}
  gate = new Promise((resolve) => {
    open = resolve
  })
  return open
}

const comeBack = () => act(async () => void window.dispatchEvent(new Event('focus')))

describe('a list', () => {
  it('navigates to its next page, shows that it is loading, and moves the focus', async () => {
    const router = await visit('/blogs')
    expect(screen.getAllByRole('article')).toHaveLength(15)
    const open = closed()
    await userEvent.click(screen.getAllByRole('link', { name: 'Page 2' })[0] as HTMLElement)
    expect(await screen.findByText('Loading')).toBeDefined()
    // The old page stays until the next is loaded.
    expect(screen.getAllByRole('article')).toHaveLength(15)
    open()
    await vi.waitFor(() => expect(screen.getAllByRole('article')).toHaveLength(3))
    // Title and focus follow in effects.
    await vi.waitFor(() => {
      expect(screen.queryByText('Loading')).toBeNull()
      expect(router.state.location.search).toBe('?page=2')
      expect(document.activeElement).toBe(screen.getByRole('main'))
      expect(document.title).toContain('2')
    })
  })

  it('is refetched on focus, but not within twenty seconds', async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] })
    const router = await visit('/reviews')
    expect(api.asked).toHaveLength(1)
    vi.setSystemTime(Date.now() + 20_000)
    await comeBack()
    expect(api.asked).toHaveLength(1)
    vi.setSystemTime(Date.now() + 1)
    api.asked.length = 0
    api = sampleApi({ posts: 0, reviews: 1 })
    // The listener is added in an effect after the first paint: an early focus event may need a second one. One while
    // the list is loading would begin anew.
    await vi.waitFor(async () => {
      await comeBack()
      expect(router.state.revalidation === 'loading' || api.asked.length > 0).toBe(true)
    })
    await vi.waitFor(() => expect(screen.getAllByRole('figure')).toHaveLength(1))
    await comeBack()
    expect(api.asked).toHaveLength(1)
  })

  it('stays when a refetch fails', async () => {
    vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] })
    const router = await visit('/reviews')
    isDown = true
    vi.setSystemTime(Date.now() + 30_000)
    await vi.waitFor(async () => {
      if (router.state.revalidation === 'idle') await comeBack()
      expect(router.state.loaderData.reviews).toMatchObject({ list: null })
    })
    expect(screen.getAllByRole('figure')).toHaveLength(15)
  })

  it('shows the not-found page beyond its end', async () => {
    await visit('/blogs?page=3')
    expect(screen.getByRole('heading', { name: 'Page not found' })).toBeDefined()
    expect(screen.getByRole('banner')).toBeDefined()
  })
})

describe('a post', () => {
  it('that cannot be loaded shows an error, and appears after a successful retry', async () => {
    isDown = true
    await visit('/blog/post-ab')
    const [alert] = screen.getAllByRole('alert')
    expect(alert?.textContent).toContain('Could not load blog try again!')
    isDown = false
    await userEvent.click(within(alert as HTMLElement).getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('heading', { name: 'Post 1', level: 1 })).toBeDefined()
    expect(screen.getByText('Content of post 1.')).toBeDefined()
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('links to another one, which is not related to itself', async () => {
    await visit('/blog/post-ab')
    await userEvent.click(screen.getByRole('link', { name: 'Read more about Post 2' }))
    expect(await screen.findByRole('heading', { name: 'Post 2', level: 1 })).toBeDefined()
    expect(screen.queryByRole('link', { name: 'Read more about Post 2' })).toBeNull()
    expect(screen.getByRole('link', { name: 'Read more about Post 1' })).toBeDefined()
  })
})

describe('the home page', () => {
  it('shows the rest when one of its lists cannot be loaded', async () => {
    server.use(http.get(`${API}/reviews`, () => HttpResponse.error()))
    await visit('/')
    expect(screen.getByText('Could not load reviews try again!')).toBeDefined()
    expect(screen.getByRole('link', { name: 'Read more about Post 1' })).toBeDefined()
    server.resetHandlers()
  })
})
