import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { SIGNED_OUT, useAuth } from '../../lib/auth-store.ts'
import { useNotificationChoices } from '../../lib/notification-choices.ts'
import { http } from '../../testing/our-http.ts'
import { API, givePageState } from '../../testing/page-state.ts'
import { createQueryClient } from '../ui/query-client.ts'
import { Notifications } from './notifications-section.tsx'

const account = {
  ...{ userId: 'me', userName: 'me', displayName: null, email: null as string | null },
  ...{ weeklyMail: false, timeZone: null as string | null },
}
const config = (mail: boolean) => HttpResponse.json({ chat: { mail } })
const server = setupServer(
  http.get(`${API}/account`, () => HttpResponse.json({ ...account, onDuty: false })),
  http.get(`${API}/config`, () => config(false)),
  http.get(`${API}/account/push`, () => HttpResponse.json({ devices: [] })),
)

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
beforeEach(() => {
  givePageState()
  useAuth.setState({ accessToken: 'token', user_Id: 'me', userName: 'me', roles: ['Admin'] })
  vi.stubGlobal('isSecureContext', true)
})
afterEach(() => {
  // Before its browser is gone.
  cleanup()
  Reflect.deleteProperty(navigator, 'serviceWorker')
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  useAuth.setState(SIGNED_OUT)
  server.resetHandlers()
})
afterAll(() => server.close())

function open(): void {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Notifications />
    </QueryClientProvider>,
  )
}

function useWorker(permission: NotificationPermission): void {
  vi.stubGlobal('Notification', { permission })
  Object.defineProperty(navigator, 'serviceWorker', { configurable: true, value: new EventTarget() })
}

it('says that messages do not notify off duty, and that the browser has no notifications', async () => {
  open()
  expect(await screen.findByText("You're off duty, so messages don't notify you.")).toBeTruthy()
  expect(screen.getByText("This browser doesn't support notifications.")).toBeTruthy()
  expect(screen.queryByRole('switch', { name: /notifications/ })).toBeNull()
})

it.each([
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1', 5],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1', 5],
])('asks to install the dashboard first on %s', async (userAgent, touchPoints) => {
  vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(userAgent)
  Object.defineProperty(navigator, 'maxTouchPoints', { configurable: true, value: touchPoints })
  open()
  expect(await screen.findByText(/add the dashboard to the Home Screen first/)).toBeTruthy()
  Reflect.deleteProperty(navigator, 'maxTouchPoints')
})

it('names a missing HTTPS', async () => {
  vi.stubGlobal('isSecureContext', false)
  open()
  expect(await screen.findByText(/Notifications need a secure connection/)).toBeTruthy()
})

it('tells how to allow blocked notifications, and throws no switch', async () => {
  useWorker('denied')
  open()
  expect(await screen.findByText(/This browser blocks notifications from this site/)).toBeTruthy()
  const desktop = screen.getByRole('switch', { name: 'Desktop notifications from an open tab' })
  expect(desktop.hasAttribute('disabled')).toBe(true)
  expect(screen.getByRole('button', { name: 'Send a test' }).hasAttribute('disabled')).toBe(true)
})

it('offers no push where the browser has none', async () => {
  useWorker('default')
  open()
  expect(await screen.findByRole('switch', { name: 'Desktop notifications from an open tab' })).toBeTruthy()
  expect(screen.queryByRole('switch', { name: 'Push notifications' })).toBeNull()
})

it('takes only the notification of the test for its success', async () => {
  useWorker('granted')
  const tested: { id?: string }[] = []
  server.use(
    http.post(`${API}/account/push/test`, async ({ request }) => {
      tested.push((await request.json()) as { id?: string })
      return HttpResponse.json({ message: 'Test sent', sent: 1, failed: 0 })
    }),
  )
  useNotificationChoices.setState({ push: 'me' })
  open()
  fireEvent.click(await screen.findByRole('button', { name: 'Send a test' }))
  await vi.waitFor(() => expect(tested).toHaveLength(1))
  const shown = (id: string | undefined) =>
    act(() =>
      navigator.serviceWorker.dispatchEvent(new MessageEvent('message', { data: { kind: 'shown', id } })),
    )
  shown('of a message')
  expect(screen.queryByText(/The test arrived/)).toBeNull()
  shown(tested[0]?.id)
  expect(await screen.findByText(/The test arrived/)).toBeTruthy()
  useNotificationChoices.setState({ push: null })
})

describe('the weekly email', () => {
  const weeklySwitch = () => screen.findByRole('switch', { name: 'Weekly email' })

  it.each([
    ["Email isn't set up on this server", false, 'ann@example.com'],
    ['add your email to your profile', true, null],
  ])('says that it is not available: %s', async (reason, hasMail, email) => {
    server.use(
      http.get(`${API}/account`, () => HttpResponse.json({ ...account, onDuty: true, email })),
      http.get(`${API}/config`, () => config(hasMail)),
    )
    open()
    const control = await weeklySwitch()
    expect(control.hasAttribute('disabled')).toBe(true)
    const described = document.getElementById(control.getAttribute('aria-describedby') ?? '')
    expect(described?.textContent).toContain(reason)
  })

  it("begins in this device's time zone, and saves another one at once", async () => {
    let stored = { ...account, onDuty: true, email: 'ann@example.com' }
    const sent: unknown[] = []
    server.use(
      http.get(`${API}/account`, () => HttpResponse.json(stored)),
      http.get(`${API}/config`, () => config(true)),
      http.get(`${API}/team`, () => HttpResponse.json({ admins: [] })),
      http.patch(`${API}/account`, async ({ request }) => {
        const change = (await request.json()) as object
        sent.push(change)
        stored = { ...stored, ...change }
        return HttpResponse.json(stored)
      }),
    )
    open()
    fireEvent.click(await weeklySwitch())
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    const select = await screen.findByRole('combobox', { name: 'Time zone' })
    expect((select as HTMLSelectElement).value).toBe(timeZone)
    await vi.waitFor(() => expect(sent).toEqual([{ weeklyMail: true, timeZone }]))
    fireEvent.change(select, { target: { value: 'Pacific/Auckland' } })
    await vi.waitFor(() => expect(sent).toHaveLength(2))
    expect(sent[1]).toEqual({ timeZone: 'Pacific/Auckland' })
    expect((await screen.findByRole('button', { name: /^Use / })).textContent).toBe(`Use ${timeZone}`)
    fireEvent.click(await weeklySwitch())
    await vi.waitFor(() => expect(sent[2]).toEqual({ weeklyMail: false }))
    await vi.waitFor(() => expect(screen.queryByRole('combobox')).toBeNull())
  })
})
