import { StrictMode, startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { createBrowserRouter, matchRoutes, RouterProvider } from 'react-router-dom'
import { SentFormContext } from './forms/sent-form.ts'
import { pageState } from './lib/page-state.ts'
import { SiteConfigContext } from './lib/site-config.ts'
import { ADMIN_AREA_ROUTE_ID, isDashboardPath, routes } from './routes.tsx'

const { config, hydration, form } = pageState()

// Not in the task in which all modules were evaluated: two short ones, and a tap between them is answered.
await new Promise((resolve) => setTimeout(resolve))
if (hydration) await loadServedPage()

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
      <SentFormContext value={form ?? null}>
        <RouterProvider router={router} />
      </SentFormContext>
    </SiteConfigContext>
  </StrictMode>
)

const root = document.getElementById('root') as HTMLElement
// As a transition, so that it is done in small pieces: who taps meanwhile is answered.
if (hydration) startTransition(() => void hydrateRoot(root, app))
else createRoot(root).render(app)

/** The code of the page that was served, where it is apart: without it the router would show a spinner in its place. */
async function loadServedPage(): Promise<void> {
  for (const { route } of matchRoutes(routes, location) ?? []) {
    if (typeof route.lazy !== 'function') continue
    Object.assign(route, await route.lazy(), { lazy: undefined })
  }
}
