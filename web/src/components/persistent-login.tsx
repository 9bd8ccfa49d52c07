import { useEffect, useState } from 'react'
import { Outlet } from 'react-router'
import { useAuth } from '../lib/auth-store.ts'
import { refreshSession, sessionPersists } from '../lib/session.ts'
import { FullScreenSpinner } from './spinner.tsx'

/** Restores the session after a reload before rendering the guarded routes. */
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
