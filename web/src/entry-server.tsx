import type { RenderInput, RenderResult, ServerEntry } from '@proctorpass/shared/ssr'
import { renderToString } from 'react-dom/server'
import {
  createStaticHandler,
  createStaticRouter,
  type DataStrategyFunction,
  type DataStrategyResult,
  type HydrationState,
  isRouteErrorResponse,
  type LoaderFunction,
  matchPath,
  type RouteObject,
  type StaticHandlerContext,
  StaticRouterProvider,
} from 'react-router-dom'
import { canonicalPath, isCanonical } from './documents/canonical-path.ts'
import { jsonForHtml } from './documents/escape.ts'
import { headTags } from './documents/head.ts'
import { notFoundHead, type PageHead, pageHead } from './documents/page-head.ts'
import { isText, textAt } from './documents/text-at.ts'
import { SentFormContext } from './forms/sent-form.ts'
import { PAGE_STATE_ID, type PageState } from './lib/page-state.ts'
import { SiteConfigContext } from './lib/site-config.ts'
import { withoutText } from './pages/article-data.ts'
import { ErrorNote } from './pages/error-screen.tsx'
import { dashboardHead, isClientRendered, isDashboardPath, routes } from './routes.tsx'

const handler = createStaticHandler(routes)

/** Lists that are read page by page: `?page=` makes another page of them. */
const PAGED = new Set(['/blogs', '/reviews'])

/** Stands for every address that no route takes; no route takes it either. */
export const notFoundKey: ServerEntry['notFoundKey'] = '/404'

const pathsOf = ({ path, children = [] }: RouteObject): string[] => [
  ...(path === undefined || path === '*' ? [] : [path]),
  ...children.flatMap(pathsOf),
]
const routePaths = new Set(routes.flatMap(pathsOf))
const patterns = [...routePaths].filter((path) => path.includes(':'))

/** Whether a route takes this path. The router's own `matchRoutes` takes as long as half a page: it sorts all routes. */
function isKnownPath(pathname: string): boolean {
  if (routePaths.has(pathname) || isText(pathname)) return true
  let path: string
  try {
    path = pathname.split('/').map(decodedSegment).join('/').toLowerCase()
  } catch {
    // The router would write a warning for each such address.
    return false
  }
  return routePaths.has(path) || patterns.some((pattern) => matchPath(pattern, path) !== null)
}

const decodedSegment = (segment: string) => decodeURIComponent(segment).replaceAll('/', '%2F')

export const pageKey: ServerEntry['pageKey'] = (url) => {
  const { pathname, search, searchParams } = new URL(url)
  if (isDashboardPath(pathname)) return '/dashboard'
  // Leads elsewhere, with all that was asked.
  if (!isCanonical(pathname)) return pathname + search
  if (!isKnownPath(pathname)) return notFoundKey
  const page = PAGED.has(pathname) ? searchParams.get('page') : null
  return page === null || page === '1' ? pathname : `${pathname}?page=${encodeURIComponent(page)}`
}

export const render: ServerEntry['render'] = async (input, template) => {
  const url = new URL(input.url)
  const { pathname, search } = url
  const text = await textAt(pathname, input)
  if (text) return { kind: 'text', ...text }

  if (isDashboardPath(pathname)) return shell(template, input, dashboardHead)
  if (!isCanonical(pathname)) {
    return { kind: 'redirect', status: 308, location: canonicalPath(pathname) + search }
  }

  const context = await handler.query(requestOf(url), {
    requestContext: { fetchApi: input.fetchApi },
    dataStrategy: askLoaders,
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
  if (isClientRendered(pathname)) return shell(template, input, head, routeId)
  let body: string
  try {
    body = renderToString(
      <SiteConfigContext value={input.config}>
        <SentFormContext value={input.form ?? null}>
          {/* The state goes into the page by our own hand: outside of the root, never as a script that runs. */}
          <StaticRouterProvider
            router={createStaticRouter(matchedBranch(context), context)}
            context={context}
            hydrate={false}
          />
        </SentFormContext>
      </SiteConfigContext>,
    )
  } catch (error) {
    input.onError?.(error)
    // Without a state to hydrate from, the browser tries to render the page afresh.
    const html = assemble(template, input, { head, body: crashed(), hydration: null })
    return { kind: 'page', status: 500, html }
  }
  return {
    kind: 'page',
    status: context.statusCode === 200 ? (head.status ?? 200) : context.statusCode,
    html: assemble(template, input, { head, body, hydration: hydrationState(context), routeId }),
  }
}

const NEVER = new AbortController().signal

/** What the router and our loaders read of a request. A whole one costs more than finding the page that it asks for. */
function requestOf({ href }: URL): Request {
  return { url: href, method: 'GET', signal: NEVER } satisfies Partial<Request> as Request
}

/** Each loader once and as it is: the router would make a URL for it, and race it against an abort that never comes. */
const askLoaders: DataStrategyFunction = async ({ matches, ...args }) => {
  const asked = matches.filter(({ route }) => typeof route.loader === 'function')
  return Object.fromEntries(
    await Promise.all(
      asked.map(async ({ route }): Promise<[string, DataStrategyResult]> => {
        try {
          return [route.id, { type: 'data', result: await (route.loader as LoaderFunction)(args) }]
        } catch (error) {
          return [route.id, { type: 'error', result: error }]
        }
      }),
    ),
  )
}

/** The routes that lead to this page, without all the others: the router looks through what it is given again. */
function matchedBranch({ matches }: StaticHandlerContext): RouteObject[] {
  return matches.reduceRight<RouteObject[]>(
    (children, { route }) => [route.index ? route : { ...route, children }],
    [],
  )
}

/** A page that the browser renders. */
function shell(template: string, input: RenderInput, head: PageHead, routeId?: string): RenderResult {
  const html = assemble(template, input, { head, body: NEEDS_SCRIPTS, hydration: null, routeId })
  return { kind: 'page', status: 200, html }
}

/** Gone as soon as the browser renders. */
const NEEDS_SCRIPTS = renderToString(
  <noscript>
    <main className="sheet">
      <h1>Admin area</h1>
      <p>
        This part of the site needs JavaScript. <a href="/">Go to the home page</a>
      </p>
    </main>
  </noscript>,
)

interface Parts {
  head: PageHead
  body: string
  hydration: HydrationState | null
  /** Of the page's own route. */
  routeId?: string | undefined
}

function assemble(template: string, input: RenderInput, { head, body, hydration, routeId }: Parts): string {
  const state: PageState = { config: input.config, apiPrefix: input.apiPrefix, hydration, form: input.form }
  const { start, gaps } = takeApart(template)
  // Strung together rather than replaced, which would copy the whole page several times.
  let html = start
  for (const { name, files, after } of gaps) {
    if (name === 'head') html += headTags(input, head)
    else if (name === 'code') html += codeTag(files, routeId)
    else if (name === 'body') html += body
    else html += `<script type="application/json" id="${PAGE_STATE_ID}">${jsonForHtml(state)}</script>`
    html += after
  }
  return html
}

interface Apart {
  template: string
  start: string
  /** In their order, each with the text up to the next. `files` is what `web/build/page-code.ts` puts into `code`. */
  gaps: { name: string; files: Record<string, string>; after: string }[]
}

let apart: Apart | undefined

/** One template serves every page, but in development. */
function takeApart(template: string): Apart {
  if (apart?.template === template) return apart
  const [start = '', ...rest] = template.split(/<!--page-(head|code|body|state)(?: (\{[^{}]*\}))?-->/)
  const gaps: Apart['gaps'] = []
  for (let at = 0; at < rest.length; at += 3) {
    const [name = '', files = '{}', after = ''] = rest.slice(at, at + 3)
    gaps.push({ name, files: JSON.parse(files), after })
  }
  apart = { template, start, gaps }
  return apart
}

/** Asks for the code of a page that comes apart with the page, not only once the rest of the code asks for it. */
function codeTag(files: Record<string, string>, routeId = ''): string {
  const file = files[routeId.startsWith('article-') ? 'article' : routeId]
  return file ? `<link rel="modulepreload" fetchpriority="low" href="${file}" />` : ''
}

function hydrationState({ loaderData: data, actionData, errors }: StaticHandlerContext): HydrationState {
  const loaderData = Object.fromEntries(Object.entries(data).map(([id, given]) => [id, withoutText(given)]))
  return { loaderData, actionData, errors }
}

const CRASH = { status: 500, statusText: 'Internal Server Error', internal: true, data: null }

/** A foreseen answer travels whole; of a crash only that it happened. */
function safeErrors(errors: Record<string, unknown>, { onError }: RenderInput): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(errors).map(([routeId, error]) => {
      if (isRouteErrorResponse(error)) return [routeId, error]
      onError?.(error)
      return [routeId, CRASH]
    }),
  )
}

/** For what happened while the frame of the site itself was rendered. */
function crashed(): string {
  return renderToString(
    <main id="main" className="sheet">
      <ErrorNote error={CRASH} />
    </main>,
  )
}
