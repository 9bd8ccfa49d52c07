import type { RenderInput, RenderResult, ServerEntry } from '@proctorpass/shared/ssr'
import { renderToString } from 'react-dom/server'
import {
  createStaticHandler,
  createStaticRouter,
  type HydrationState,
  isRouteErrorResponse,
  type StaticHandlerContext,
  StaticRouterProvider,
} from 'react-router'

import { SentFormContext } from './forms/sent-form.ts'
import { shownHours } from './lib/hours-text.ts'
import { withoutWords } from './lib/shown-text.ts'
import { ChatHoursContext, SiteConfigContext } from './lib/site-config.ts'
import { canonicalPath, isCanonical } from './metadata/canonical-path.ts'
import { fillFrame, fillTemplate } from './metadata/fill-template.ts'
import { notFoundHead, type PageHead, pageHead } from './metadata/page-head.ts'
import { textAt } from './metadata/text-at.ts'
import { ErrorNote } from './pages/error-screen.tsx'
import { dashboardHead, isClientRendered, isDashboardPath, PREVIEW_ROUTE_ID, routes } from './routes.tsx'

export { missingWords } from './chat/widget/suggest/missing-words.ts'
export { missingPostKey, notFoundKey, pageKey, postSlug } from './page-key.ts'

const handler = createStaticHandler(routes)

export const render: ServerEntry['render'] = async (input, template) => {
  const { pathname, search } = new URL(input.url)
  const text = await textAt(pathname, input)
  if (text) return { kind: 'text', ...text }

  if (isDashboardPath(pathname)) return shell(template, input, dashboardHead)
  if (!isCanonical(pathname)) {
    return { kind: 'redirect', status: 308, location: canonicalPath(pathname) + search }
  }

  const context = await handler.query(new Request(input.url), {
    requestContext: { fetchApi: input.fetchApi, texts: input.texts },
  })
  if (context instanceof Response) {
    return { kind: 'redirect', status: context.status, location: context.headers.get('location') ?? '/' }
  }
  if (context.errors) context.errors = safeErrors(context.errors, input)
  const matches = context.matches.map(({ route }) => ({
    handle: route.handle,
    loaderData: context.loaderData[route.id],
  }))
  const head = (context.statusCode === 404 ? null : pageHead(matches)) ?? notFoundHead
  const routeId = context.matches.at(-1)?.route.id
  const isPrivate = routeId === PREVIEW_ROUTE_ID
  if (isClientRendered(pathname)) return shell(template, input, head, routeId)
  let body: string
  try {
    body = renderToString(
      <SiteConfigContext value={input.config}>
        <ChatHoursContext value={shownHours(input.hours)}>
          <SentFormContext value={input.form ?? null}>
            {/* `fillTemplate` writes the state outside the root element, and never as a script that runs. */}
            <StaticRouterProvider
              // It needs no routes, because the context has the matches.
              router={createStaticRouter([], context)}
              context={context}
              hydrate={false}
            />
          </SentFormContext>
        </ChatHoursContext>
      </SiteConfigContext>,
    )
  } catch (error) {
    input.onError?.(error)
    // Without hydration data, the browser renders the page itself.
    const html = fillTemplate(template, input, { head, body: crashed(), hydration: null })
    return { kind: 'page', status: 500, html, isPrivate }
  }
  return {
    kind: 'page',
    status: context.statusCode === 200 ? (head.status ?? 200) : context.statusCode,
    html: fillTemplate(template, input, { head, body, hydration: hydrationState(context), routeId }),
    isPrivate,
  }
}

export const renderFrame: ServerEntry['renderFrame'] = (input, template) => fillFrame(template, input)

/** Returns a page that the browser renders. */
function shell(template: string, input: RenderInput, head: PageHead, routeId?: string): RenderResult {
  const html = fillTemplate(template, input, { head, body: NEEDS_SCRIPTS, hydration: null, routeId })
  return { kind: 'page', status: 200, html }
}

/** The browser replaces this as soon as it renders. */
const NEEDS_SCRIPTS = [
  '<main><noscript><div class="site"><section class="sheet"><h1>This page needs JavaScript</h1>',
  '<p>Turn it on in your browser, or use the <a href="/contact">contact form</a>, which works without it.</p>',
  '</section></div></noscript></main>',
].join('')

function hydrationState({ loaderData: data, actionData, errors }: StaticHandlerContext): HydrationState {
  const loaderData = Object.fromEntries(Object.entries(data).map(([id, given]) => [id, withoutWords(given)]))
  return { loaderData, actionData, errors }
}

const CRASH = { status: 500, statusText: 'Internal Server Error', internal: true, data: null }

/** Keeps route error responses unchanged. Of a crash, it keeps only the fact that it happened. */
function safeErrors(errors: Record<string, unknown>, { onError }: RenderInput): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(errors).map(([routeId, error]) => {
      if (isRouteErrorResponse(error)) return [routeId, error]
      onError?.(error)
      return [routeId, CRASH]
    }),
  )
}

/** Renders an error in the site's own frame. */
function crashed(): string {
  return renderToString(
    <main id="main" className="sheet">
      <ErrorNote error={CRASH} />
    </main>,
  )
}
