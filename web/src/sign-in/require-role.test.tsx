import { render, screen } from '@testing-library/react'
import { createMemoryRouter, useLocation } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { beforeEach, describe, expect, it } from 'vitest'
import { SIGNED_OUT, useAuth } from '../lib/auth-store.ts'
import { RequireRole } from './guards.tsx'

function Here() {
  const { pathname, state } = useLocation()
  return (
    <p>
      {pathname} from {state?.from?.pathname}
    </p>
  )
}

function visit(path: string) {
  const router = createMemoryRouter(
    [
      {
        element: <RequireRole allowed={['Admin', 'Editor']} />,
        children: [{ path: '/inside', element: <p>inside</p> }],
      },
      { path: '*', element: <Here /> },
    ],
    { initialEntries: ['/before', path] },
  )
  render(<RouterProvider router={router} />)
  return router
}

const SIGNED_IN = { accessToken: 'token', user_Id: 'a'.repeat(24), userName: 'Ada' }

beforeEach(() => useAuth.setState(SIGNED_OUT))

describe('RequireRole', () => {
  it('renders for any allowed role', () => {
    useAuth.setState({ ...SIGNED_IN, roles: ['Reader', 'Editor'] })
    visit('/inside')
    expect(screen.getByText('inside')).toBeDefined()
  })

  it('redirects a signed-out user to the login, replacing the entry, with the address', async () => {
    const router = visit('/inside')
    expect(await screen.findByText('/login from /inside')).toBeDefined()
    await router.navigate(-1)
    expect(await screen.findByText('/before from')).toBeDefined()
  })

  it('redirects another role to /unauthorized', async () => {
    useAuth.setState({ ...SIGNED_IN, roles: ['Reader'] })
    const router = visit('/inside')
    expect(await screen.findByText('/unauthorized from /inside')).toBeDefined()
    await router.navigate(-1)
    expect(await screen.findByText('/before from')).toBeDefined()
  })
})
