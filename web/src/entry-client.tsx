import { StrictMode, startTransition } from 'react'
import { createRoot, hydrateRoot } from 'react-dom/client'
import { createBrowserRouter, matchRoutes } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { SentFormContext } from './forms/sent-form.ts'
import './lib/before-router.ts'
import { reloadOutdatedPage } from './lib/outdated-page.ts'
import { pageState } from './lib/page-state.ts'
import { readWords } from './lib/shown-text.ts'
import { ChatHoursContext, SiteConfigContext } from './lib/site-config.ts'
import { ADMIN_AREA_ROUTE_ID, isDashboardPath, routes } from './routes.tsx'

const { config, hours, hydration, form } = pageState()

// This ends the task that evaluated the modules. The browser can handle input between two short tasks.
await new Promise((resolve) => setTimeout(resolve))
if (hydration) {
  await loadServedPage().catch(reloadOrStop)
  readWords(hydration.loaderData ?? {})
}

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
      <ChatHoursContext value={hours}>
        <SentFormContext value={form ?? null}>
          <RouterProvider router={router} />
        </SentFormContext>
      </ChatHoursContext>
    </SiteConfigContext>
  </StrictMode>
)

const root = document.getElementById('root') as HTMLElement
// In a transition, React hydrates in slices and yields to input between them.
if (hydration) startTransition(() => void hydrateRoot(root, app))
else createRoot(root).render(app)

/** If its chunk is missing, the page stays as the server rendered it, which people can still read. */
async function reloadOrStop(error: unknown): Promise<never> {
  await reloadOutdatedPage()
  throw error
}

/**
 * Loads the served page's lazy route before hydration, because the router would otherwise replace its HTML with a
 * spinner.
 */
async function loadServedPage(): Promise<void> {
  for (const { route } of matchRoutes(routes, location) ?? []) {
    if (typeof route.lazy !== 'function') continue
    Object.assign(route, await route.lazy(), { lazy: undefined })
  }
}
