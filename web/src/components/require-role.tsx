import { Navigate, Outlet, useLocation } from 'react-router-dom'
import { useAuth } from '../lib/auth-store.ts'

/** Lets any of the allowed roles through; sends others to /unauthorized and strangers to /login. */
export function RequireRole({ allowed }: { allowed: readonly string[] }) {
  const location = useLocation()
  const { accessToken, roles } = useAuth()
  if (accessToken === null) return <Navigate to="/login" replace state={{ from: location }} />
  if (!roles.some((role) => allowed.includes(role))) {
    return <Navigate to="/unauthorized" replace state={{ from: location }} />
  }
  return <Outlet />
}
