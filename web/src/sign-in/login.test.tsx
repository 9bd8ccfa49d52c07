import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { createMemoryRouter, useLocation } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { SIGNED_OUT, useAuth } from '../lib/auth-store.ts'
import { SiteConfigContext } from '../lib/site-config.ts'
import { withoutLayout } from '../testing/no-layout.ts'
import { http } from '../testing/our-http.ts'
import { API, givePageState, testConfig } from '../testing/page-state.ts'
import { LoginPage } from './login.tsx'

const WRONG = 'The name or the password is wrong.'

/** The server answers once this has. */
let answering = Promise.resolve()

const server = setupServer(
  http.post<never, { userName: string; password: string }>(`${API}/auth`, async ({ request }) => {
    await answering
    const { userName, password } = await request.json()
    if (password !== 'right')
      return HttpResponse.json({ message: WRONG, code: 'unauthorized', requestId: 'r1' }, { status: 401 })
    return HttpResponse.json({ accessToken: 'token', roles: ['Admin'], user_Id: 'c'.repeat(24), userName })
  }),
)

beforeAll(() => {
  givePageState()
  server.listen({ onUnhandledFrame: 'error' })
})
beforeEach(() => {
  withoutLayout()
  localStorage.clear()
  useAuth.setState(SIGNED_OUT)
})
afterEach(() => {
  answering = Promise.resolve()
  vi.useRealTimers()
  server.resetHandlers()
})
afterAll(() => server.close())

function Here() {
  const { pathname, search } = useLocation()
  return <p>arrived at {pathname + search}</p>
}

function open(from?: unknown) {
  const router = createMemoryRouter(
    [
      { path: '/login', element: <LoginPage /> },
      { path: '*', element: <Here /> },
    ],
    { initialEntries: [{ pathname: '/login', state: from === undefined ? null : { from } }] },
  )
  render(
    <SiteConfigContext value={testConfig}>
      <RouterProvider router={router} />
    </SiteConfigContext>,
  )
}

async function fillAndSend(password: string, user = userEvent.setup()) {
  await user.type(screen.getByLabelText('Username'), 'Ada')
  await user.type(screen.getByLabelText('Password'), password)
  await user.click(screen.getByRole('button', { name: 'Sign in' }))
}

describe('LoginPage', () => {
  it('shows its heading and requires both fields', async () => {
    open()
    expect(screen.getByRole('heading', { name: 'Admin area Sign in to ProctorPass' })).toBeDefined()
    await userEvent.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByText('Username is required')).toBeDefined()
    expect(screen.getByText('Password is required')).toBeDefined()
    expect(document.activeElement).toBe(screen.getByLabelText('Username'))
  })

  it('welcomes back and navigates to the dashboard', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    answering = promise
    open()
    await fillAndSend('right')
    expect(await screen.findByRole('button', { name: 'Signing in…' })).toHaveProperty('disabled', true)
    resolve()
    expect(await screen.findByText('arrived at /dashboard')).toBeDefined()
    expect(await screen.findByText('Welcome back Ada')).toBeDefined()
    expect(useAuth.getState()).toMatchObject({ accessToken: 'token', userName: 'Ada' })
  })

  it('returns to the requested page', async () => {
    open({ pathname: '/dashboard/messages/abc', search: '?x=1', hash: '' })
    await fillAndSend('right')
    expect(await screen.findByText('arrived at /dashboard/messages/abc?x=1')).toBeDefined()
  })

  it.each([{ pathname: '//evil.example' }, { pathname: 'https://evil.example' }, 'https://evil.example'])(
    'goes to the dashboard and not to %j',
    async (from) => {
      open(from)
      await fillAndSend('right')
      expect(await screen.findByText('arrived at /dashboard')).toBeDefined()
    },
  )

  it("shows the server's message for ten seconds, and in a toast", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] })
    open()
    await fillAndSend('wrong', userEvent.setup({ advanceTimers: vi.advanceTimersByTime }))
    const refusal = await screen.findByRole('alert')
    await vi.waitFor(() => expect(refusal.textContent).toBe(WRONG))
    await vi.waitFor(() =>
      expect(screen.getByRole('region', { name: 'Notices' }).textContent).toContain(WRONG),
    )
    act(() => vi.advanceTimersByTime(9_000))
    expect(refusal.textContent).toBe(WRONG)
    act(() => vi.advanceTimersByTime(1_500))
    expect(refusal.textContent).toBe('')
  })

  it('does not claim to retry when the server is unreachable', async () => {
    server.use(http.post(`${API}/auth`, () => HttpResponse.error()))
    open()
    await fillAndSend('right')
    const refusal = screen.getByRole('alert')
    await vi.waitFor(() => expect(refusal.textContent).toBe("We can't reach the server. Try again."))
    expect(screen.getByRole('button', { name: 'Sign in' })).toHaveProperty('disabled', false)
  })
})
