import { useEffect, useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { FullScreenSpinner } from '../components/spinner.tsx'
import { useAuth } from '../lib/auth-store.ts'
import { refreshSession, sessionPersists } from '../lib/session.ts'

/** Restores the session after a reload before it renders the guarded routes. */
export function PersistentLogin() {
  const [waiting, setWaiting] = useState(() => useAuth.getState().accessToken === null && sessionPersists())

  useEffect(() => {
    if (!waiting) return
    let unmounted = false
    refreshSession()
      // The guard inside handles a refusal and an unreachable server.
      .catch(() => {})
      .finally(() => {
        if (!unmounted) setWaiting(false)
      })
    return () => {
      unmounted = true
    }
  }, [waiting])

  return waiting ? <FullScreenSpinner /> : <Outlet />
}

/** Renders the routes for the allowed roles. Redirects others to /unauthorized, and signed-out users to /login. */
export function RequireRole({ allowed }: { allowed: readonly string[] }) {
  const location = useLocation()
  const { accessToken, roles } = useAuth()
  if (accessToken === null) return <Navigate to="/login" replace state={{ from: location }} />
  if (!roles.some((role) => allowed.includes(role))) {
    return <Navigate to="/unauthorized" replace state={{ from: location }} />
  }
  return <Outlet />
}
