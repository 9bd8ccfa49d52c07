import { useEffect, useState } from 'react'
import { Outlet } from 'react-router-dom'
import { useAuth } from '../lib/auth-store.ts'
import { refreshSession, sessionPersists } from '../lib/session.ts'
import { FullScreenSpinner } from './spinner.tsx'

/** After a reload, gets the session back before what is inside asks who is there. */
export function PersistentLogin() {
  const [waiting, setWaiting] = useState(() => useAuth.getState().accessToken === null && sessionPersists())

  useEffect(() => {
    if (!waiting) return
    let left = false
    refreshSession()
      // Refused or out of reach: the guard inside says what follows.
      .catch(() => {})
      .finally(() => {
        if (!left) setWaiting(false)
      })
    return () => {
      left = true
    }
  }, [waiting])

  return waiting ? <FullScreenSpinner /> : <Outlet />
}
