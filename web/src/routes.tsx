import { Outlet, type RouteObject } from 'react-router-dom'
import { FullScreenSpinner } from './components/spinner.tsx'
import { home } from './content/home.ts'
import type { PageHandle } from './lib/page-head.ts'
import { ErrorScreen } from './pages/error-screen.tsx'
import { HomePage } from './pages/home.tsx'
import { NotFoundPage } from './pages/not-found.tsx'
import { RootLayout } from './pages/root-layout.tsx'
import { SiteLayout } from './pages/site-layout.tsx'
import { UnauthorizedPage } from './pages/unauthorized.tsx'

/** Where the browser hangs the dashboard's routes when somebody goes there. */
export const ADMIN_AREA_ROUTE_ID = 'admin-area'

export const dashboardHandle: PageHandle = { title: 'Dashboard · {brand}', noindex: true }

const head = (handle: PageHandle): PageHandle => handle

/**
 * The same tree on the server and in the browser: hydration finds data by route id, so every route has an explicit
 * one. Loaders return null, never undefined, which JSON would lose.
 */
export const routes: RouteObject[] = [
  {
    id: 'root',
    Component: RootLayout,
    ErrorBoundary: ErrorScreen,
    HydrateFallback: FullScreenSpinner,
    children: [
      {
        id: 'site',
        Component: SiteLayout,
        children: [
          {
            id: 'home',
            path: '/',
            Component: HomePage,
            handle: head({ title: home.title, description: home.description }),
          },
          {
            id: 'unauthorized',
            path: '/unauthorized',
            Component: UnauthorizedPage,
            handle: head({ title: 'Unauthorized · {brand}', noindex: true }),
          },
          {
            id: 'not-found',
            path: '*',
            Component: NotFoundPage,
            handle: head({ title: 'Page not found · {brand}', noindex: true, status: 404 }),
          },
        ],
      },
      {
        id: 'login',
        path: '/login',
        lazy: { Component: async () => (await import('./pages/login.tsx')).LoginPage },
        handle: head({ title: 'Admin area · {brand}', noindex: true }),
      },
      {
        id: ADMIN_AREA_ROUTE_ID,
        element: <Outlet />,
        handle: dashboardHandle,
      },
    ],
  },
]

/** Whether the dashboard answers for this path. */
export function isDashboardPath(pathname: string): boolean {
  return /^\/dashboard(\/|$)/i.test(pathname)
}

/** Whether the server sends only the shell, and the browser renders. */
export function isClientRendered(pathname: string): boolean {
  return isDashboardPath(pathname) || /^\/login\/?$/i.test(pathname)
}
