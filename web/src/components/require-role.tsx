import { Navigate, Outlet, useLocation } from 'react-router'
import { useAuth } from '../lib/auth-store.ts'

/** Renders for the allowed roles; redirects others to /unauthorized and signed-out users to /login. */
export function RequireRole({ allowed }: { allowed: readonly string[] }) {
  const location = useLocation()
  const { accessToken, roles } = useAuth()
  if (accessToken === null) return <Navigate to="/login" replace state={{ from: location }} />
  if (!roles.some((role) => allowed.includes(role))) {
    return <Navigate to="/unauthorized" replace state={{ from: location }} />
  }
  return <Outlet />
}
