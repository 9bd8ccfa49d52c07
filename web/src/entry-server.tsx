import type { RenderInput, ServerEntry } from '@proctorpass/shared/ssr'
import { renderToString } from 'react-dom/server'
import {
  createStaticHandler,
  createStaticRouter,
  type HydrationState,
  isRouteErrorResponse,
  matchRoutes,
  type StaticHandlerContext,
  StaticRouterProvider,
} from 'react-router-dom'
import { withBrand } from './content/with-brand.ts'
import { type PageHandle, pageHandle } from './lib/page-head.ts'
import { PAGE_STATE_ID, type PageState } from './lib/page-state.ts'
import { SiteConfigContext } from './lib/site-config.ts'
import { dashboardHandle, isClientRendered, isDashboardPath, routes } from './routes.tsx'

const handler = createStaticHandler(routes)

export const pageKey: ServerEntry['pageKey'] = (url) => {
  const { pathname } = new URL(url)
  if (isDashboardPath(pathname)) return '/dashboard'
  return pathname
}

export const render: ServerEntry['render'] = async (input, template) => {
  const url = new URL(input.url)
  const handle = isDashboardPath(url.pathname)
    ? dashboardHandle
    : pageHandle((matchRoutes(routes, url) ?? []).map(({ route }) => route))

  if (isClientRendered(url.pathname)) {
    return {
      kind: 'page',
      status: 200,
      html: assemble(template, input, { handle, body: '', hydration: null }),
    }
  }

  const context = await handler.query(new Request(url), { requestContext: { fetchApi: input.fetchApi } })
  if (context instanceof Response) {
    return { kind: 'redirect', status: context.status, location: context.headers.get('location') ?? '/' }
  }
  const body = renderToString(
    <SiteConfigContext value={input.config}>
      {/* The state goes into the page by our own hand: outside of the root, and never as a script that runs. */}
      <StaticRouterProvider
        router={createStaticRouter(handler.dataRoutes, context)}
        context={context}
        hydrate={false}
      />
    </SiteConfigContext>,
  )
  return {
    kind: 'page',
    status: context.statusCode === 200 ? (handle?.status ?? 200) : context.statusCode,
    html: assemble(template, input, { handle, body, hydration: hydrationState(context) }),
  }
}

interface Parts {
  handle: PageHandle | undefined
  body: string
  hydration: HydrationState | null
}

function assemble(template: string, input: RenderInput, { handle, body, hydration }: Parts): string {
  const state: PageState = { config: input.config, apiPrefix: input.apiPrefix, hydration }
  // Functions, because a string would give `$&` in somebody's text a meaning.
  return template
    .replace('<!--page-head-->', () => headOf(input, handle))
    .replace('<!--page-body-->', () => body)
    .replace(
      '<!--page-state-->',
      () => `<script type="application/json" id="${PAGE_STATE_ID}">${jsonForHtml(state)}</script>`,
    )
}

function headOf({ url, config, publicUrl }: RenderInput, handle: PageHandle | undefined): string {
  const tags = [`<title>${escapeHtml(withBrand(handle?.title ?? '{brand}', config.brand))}</title>`]
  if (handle?.description) {
    tags.push(
      `<meta name="description" content="${escapeHtml(withBrand(handle.description, config.brand))}" />`,
    )
  }
  if (handle?.noindex) tags.push('<meta name="robots" content="noindex" />')
  else tags.push(`<link rel="canonical" href="${escapeHtml(publicUrl + new URL(url).pathname)}" />`)
  return tags.join('\n    ')
}

function hydrationState({ loaderData, actionData, errors }: StaticHandlerContext): HydrationState {
  return { loaderData, actionData, errors: errors && mapErrors(errors) }
}

/** A foreseen answer travels whole; of a crash only that it happened. */
function mapErrors(errors: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(errors).map(([routeId, error]) => [
      routeId,
      isRouteErrorResponse(error)
        ? error
        : { status: 500, statusText: 'Internal Server Error', internal: true, data: null },
    ]),
  )
}

/** JSON that ends neither its script element nor, for old parsers, its line. */
function jsonForHtml(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
