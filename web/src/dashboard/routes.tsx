import { Navigate, Outlet, type RouteObject } from 'react-router-dom'

/** Everything under /dashboard, for a browser only. Whoever mounts it guards it. */
export const dashboardRoute: RouteObject = {
  path: '/dashboard',
  element: <Outlet />,
  children: [{ index: true, element: <Navigate to="/dashboard/chats" replace /> }],
}
