import { StrictMode } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { createBrowserRouter, RouterProvider } from 'react-router-dom'
import { pageState } from './lib/page-state.ts'
import { SiteConfigContext } from './lib/site-config.ts'
import { ADMIN_AREA_ROUTE_ID, isDashboardPath, routes } from './routes.tsx'

const { config, hydration } = pageState()

const router = createBrowserRouter(routes, {
  hydrationData: hydration ?? undefined,
  async patchRoutesOnNavigation({ path, patch }) {
    if (!isDashboardPath(path)) return
    const { adminArea } = await import('./pages/admin-area.tsx')
    patch(ADMIN_AREA_ROUTE_ID, [adminArea])
  },
})

const app = (
  <StrictMode>
    <SiteConfigContext value={config}>
      <RouterProvider router={router} />
    </SiteConfigContext>
  </StrictMode>
)

const root = document.getElementById('root') as HTMLElement
if (hydration) hydrateRoot(root, app)
else createRoot(root).render(app)
