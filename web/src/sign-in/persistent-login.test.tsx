import { render, screen } from '@testing-library/react'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { SIGNED_OUT, useAuth } from '../lib/auth-store.ts'
import { http } from '../testing/our-http.ts'
import { API, givePageState } from '../testing/page-state.ts'
import { PersistentLogin } from './guards.tsx'

const USER_ID = 'b'.repeat(24)
let asked = 0

const server = setupServer(
  http.get(`${API}/auth/refresh/:userId`, ({ params }) => {
    asked += 1
    return HttpResponse.json({
      accessToken: 'fresh',
      roles: ['Admin'],
      user_Id: params.userId,
      userName: 'Ada',
    })
  }),
)

beforeAll(() => {
  givePageState()
  server.listen({ onUnhandledFrame: 'error' })
})
beforeEach(() => {
  asked = 0
  localStorage.clear()
  localStorage.setItem('userId', USER_ID)
  useAuth.setState(SIGNED_OUT)
})
afterEach(() => server.resetHandlers())
afterAll(() => server.close())

function Inside() {
  return <p>inside as {useAuth((auth) => auth.userName) ?? 'nobody'}</p>
}

function open() {
  const router = createMemoryRouter([
    { element: <PersistentLogin />, children: [{ path: '/', element: <Inside /> }] },
  ])
  render(<RouterProvider router={router} />)
}

describe('PersistentLogin', () => {
  it('restores the session behind a spinner', async () => {
    open()
    expect(screen.getByRole('status').textContent).toBe('Loading')
    expect(await screen.findByText('inside as Ada')).toBeDefined()
    expect(screen.queryByRole('status')).toBeNull()
  })

  it('continues without a session when there is none to restore', async () => {
    server.use(
      http.get(`${API}/auth/refresh/:userId`, () =>
        HttpResponse.json({ message: 'No.', code: 'unauthorized', requestId: 'r1' }, { status: 401 }),
      ),
    )
    open()
    expect(await screen.findByText('inside as nobody')).toBeDefined()
  })

  it('renders at once with persistence off or with a token', () => {
    localStorage.setItem('persist', 'false')
    open()
    expect(screen.getByText('inside as nobody')).toBeDefined()
    localStorage.clear()
    useAuth.setState({ accessToken: 'token', userName: 'Bob' })
    open()
    expect(screen.getAllByText('inside as Bob')).toHaveLength(2)
    expect(asked).toBe(0)
  })
})
