import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AppError, type WireError } from '@proctorpass/shared/errors'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { RenderInput, RenderResult, ServerEntry } from '@proctorpass/shared/ssr'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { API_DIR } from '../api-dir.ts'
import { type FindSentResponse, HTML, sendCached } from '../http/cached-response.ts'
import { showLimit } from '../http/rate-limits.ts'
import { type Limits, RENDER_POINTS } from '../limits/limits.ts'
import { PageCache } from './page-cache.ts'
import { type PageForms, registerForms } from './page-forms.ts'
import { loadWebBuild } from './web-build.ts'

const WEB_DIR = join(API_DIR, '../web')

/** Vite adds inline scripts and styles to the page. */
const DEV_CONTENT_SECURITY_POLICY =
  "default-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ws:"

interface PagesOptions {
  publicUrl: string
  apiPrefix: string
  config: PublicConfig
  forms: PageForms
  /** Charges the address for renders. */
  limits: Limits
  /** Serve `web` from its sources through Vite instead of the build. */
  dev: boolean
  /** The folder of the build. */
  distDir?: string
}

export interface Pages {
  /** Searches cached pages and the files of the build. */
  find: FindSentResponse
  /** Call when content of a public page changed. */
  clearCache(): void
  readonly reads: { hits: number; misses: number }
}

/** Answers GETs that no other route matches: files of the web build and pages. And the pages' forms. */
export async function servePages(app: FastifyInstance, options: PagesOptions): Promise<Pages> {
  const { publicUrl, apiPrefix, config } = options
  const isApi = (path: string) => apiPrefix !== '' && (path === apiPrefix || path.startsWith(`${apiPrefix}/`))

  // Renders by the page's key, so that no other part of a query reaches a cached page. API calls count for the client.
  const inputFor = (entry: ServerEntry, request: FastifyRequest): RenderInput => ({
    url: publicUrl + entry.pageKey(publicUrl + request.url),
    config,
    publicUrl,
    apiPrefix,
    async fetchApi(apiPath) {
      const response = await app.inject({ url: apiPrefix + apiPath, remoteAddress: request.ip })
      if (response.statusCode === 429) refusals.set(request, response.json<WireError>())
      return { status: response.statusCode, json: async () => response.json() }
    },
    onError: (error) => request.log.error({ err: error }, "a page couldn't be rendered"),
  })

  return options.dev ? serveSources(app, options, isApi, inputFor) : serveBuild(app, options, isApi, inputFor)
}

/** By request: the 429 that the API answered to its page. */
const refusals = new WeakMap<FastifyRequest, WireError>()

/** Answers 429 instead of a page without its lists, which would have status 503. */
function throwRefusal(request: FastifyRequest): void {
  const refusal = refusals.get(request)
  if (refusal === undefined) return
  const { message, retryAfterMs } = refusal
  throw new AppError('rate-limited', message, retryAfterMs === undefined ? {} : { retryAfterMs })
}

type InputFor = (entry: ServerEntry, request: FastifyRequest) => RenderInput

async function serveBuild(
  app: FastifyInstance,
  { publicUrl, forms, limits, distDir = join(WEB_DIR, 'dist') }: PagesOptions,
  isApi: (path: string) => boolean,
  inputFor: InputFor,
): Promise<Pages> {
  const { files, template, entry } = await loadWebBuild(distDir)
  const pages = new PageCache(entry.notFoundKey)
  const chargeRender = async (request: FastifyRequest, reply: FastifyReply) =>
    showLimit(reply, 'address', await limits.charge('address', request.ip, RENDER_POINTS))

  app.get('/*', async (request, reply) => {
    const path = pathOf(request.url)
    if (path === null || isApi(path)) return reply.callNotFound()

    const isAsset = path.startsWith('/assets/')
    const file = files.get(path)
    if (file) {
      // Names in assets/ contain a hash of the content.
      reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
      return sendCached(request, reply, file)
    }
    if (isAsset) return reply.callNotFound()

    const input = inputFor(entry, request)
    const address = input.url.slice(publicUrl.length)
    const page = await pages.get(address, async () => {
      await chargeRender(request, reply)
      const result = await entry.render(input, template)
      throwRefusal(request)
      return result
    })
    reply.header('cache-control', 'no-cache')
    return page.kind === 'uncached'
      ? sendResult(reply, page.result)
      : sendCached(request, reply, page.response, page.status)
  })

  await registerForms(app, forms, async (request, reply, form, status) => {
    await chargeRender(request, reply)
    const result = await entry.render({ ...inputFor(entry, request), form }, template)
    return sendFormPage(reply, result, status)
  })

  return {
    find: (address, accepted) => files.get(address)?.sentResponse(accepted) ?? pages.find(address, accepted),
    clearCache: () => pages.clear(),
    reads: pages.reads,
  }
}

/** `web/dev-server.ts`, loaded by its path: api does not import web. */
interface DevServer {
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  entry(): Promise<ServerEntry>
  template(url: string): Promise<string>
  close(): Promise<void>
}

async function serveSources(
  app: FastifyInstance,
  { forms }: PagesOptions,
  isApi: (path: string) => boolean,
  inputFor: InputFor,
): Promise<Pages> {
  const { openDevServer } = await import(pathToFileURL(join(WEB_DIR, 'dev-server.ts')).href)
  const vite: DevServer = await openDevServer(app.server)
  app.addHook('preClose', () => vite.close())

  app.get('/*', async (request, reply) => {
    const path = pathOf(request.url)
    if (path === null || isApi(path)) return reply.callNotFound()
    if (await vite.answer(request.raw, reply.raw)) return reply.hijack()
    const entry = await vite.entry()
    const result = await entry.render(inputFor(entry, request), await vite.template(request.url))
    reply.headers({ 'content-security-policy': DEV_CONTENT_SECURITY_POLICY, 'cache-control': 'no-cache' })
    return sendResult(reply, result)
  })

  await registerForms(app, forms, async (request, reply, form, status) => {
    const entry = await vite.entry()
    const input = { ...inputFor(entry, request), form }
    const result = await entry.render(input, await vite.template(request.url))
    return sendFormPage(reply.header('content-security-policy', DEV_CONTENT_SECURITY_POLICY), result, status)
  })

  return { find: () => undefined, clearCache() {}, reads: { hits: 0, misses: 0 } }
}

const ANY_HOST = 'http://own.invalid'

/**
 * Null when this cannot be the path of a page: `GET *`, dot segments (browsers resolve them), and what the page's router
 * rejects, because it parses the path as a URL: `//%09/` has an invalid host.
 */
function pathOf(url: string): string | null {
  const [path = ''] = url.split('?')
  if (!path.startsWith('/') || /\/(\.|%2e){1,2}(\/|$)/i.test(path)) return null
  return URL.canParse(new URL(ANY_HOST + path).pathname, ANY_HOST) ? path : null
}

/** The result of a form is for one client, and never cached. */
function sendFormPage(reply: FastifyReply, result: RenderResult, status: number): FastifyReply {
  reply.header('cache-control', 'no-store')
  return sendResult(reply, result.kind === 'page' && result.status === 200 ? { ...result, status } : result)
}

function sendResult(reply: FastifyReply, result: RenderResult): FastifyReply {
  if (result.kind === 'redirect') return reply.redirect(result.location, result.status)
  if (result.kind === 'text') return reply.type(result.type).send(result.text)
  return reply.code(result.status).type(HTML).send(result.html)
}
