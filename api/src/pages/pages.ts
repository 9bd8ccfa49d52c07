import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FrameSite } from '@proctorpass/shared/embed'
import { AppError, type WireError } from '@proctorpass/shared/errors'
import { EMBED_PATH } from '@proctorpass/shared/paths'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { RenderInput, RenderResult, ServerEntry } from '@proctorpass/shared/ssr'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type FindSentResponse, HTML, sendCached } from '../http/cached-response.ts'
import { logError } from '../http/logging.ts'
import { showLimit } from '../http/rate-limits.ts'
import { API_DIR } from '../installation.ts'
import { LIST_READ_POINTS, type Limits, RENDER_POINTS } from '../limits/limits.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { PageCache } from './page-cache.ts'
import { type PageForms, registerForms } from './page-forms.ts'
import { loadWebBuild } from './web-build.ts'

const WEB_DIR = join(API_DIR, '../web')

/** A policy for development, because Vite adds inline scripts and styles to the page. */
const DEV_CONTENT_SECURITY_POLICY =
  "default-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ws:"

interface PagesOptions {
  publicUrl: string
  apiPrefix: string
  config: PublicConfig
  /** The part of the settings that pages show. */
  settings: () => Promise<Pick<RenderInput, 'hours' | 'hasCards' | 'languages'>>
  texts: Pick<PageTexts, 'find' | 'page' | 'listed' | 'languagesOn'>
  forms: PageForms
  /** Whether there is a post with this slug. */
  hasPost: (slug: string) => Promise<boolean>
  /** Charges the address for renders. */
  limits: Limits
  /** Whether `web` is served from its sources through Vite instead of from the build. */
  dev: boolean
  /** The build's folder. */
  distDir?: string
}

export interface Pages {
  /** Searches cached pages and the build's files. */
  find: FindSentResponse
  /** Call this when a public page's content changed. */
  clearCache(): void
  readonly reads: { hits: number; misses: number }
  readonly embed: EmbedSources
  readonly entry: () => Promise<ServerEntry>
}

/** What a site's pages receive, before it is completed for the site. */
export interface EmbedSources {
  frame(site: FrameSite): Promise<string>
  loader(): Promise<string>
  /** The content security policy for a frame that is served from its sources; null for a built frame. */
  devPolicy: string | null
}

/**
 * Answers GET requests that no other route matches, with the web build's files and pages. Serves the pages' forms too.
 */
export async function servePages(app: FastifyInstance, options: PagesOptions): Promise<Pages> {
  const { publicUrl, apiPrefix, config, settings, texts } = options
  const isApi = (path: string) => apiPrefix !== '' && (path === apiPrefix || path.startsWith(`${apiPrefix}/`))

  // A page is rendered by its key, so that no other part of a query reaches a cached page. API calls are charged to the
  // client.
  const inputFor: InputFor = async (entry, request) => ({
    url: publicUrl + entry.pageKey(publicUrl + request.url, await texts.languagesOn()),
    config,
    publicUrl,
    apiPrefix,
    ...(await settings()),
    async fetchApi(apiPath) {
      const response = await app.inject({ url: apiPrefix + apiPath, remoteAddress: request.ip })
      if (response.statusCode === 429) refusals.set(request, response.json<WireError>())
      return { status: response.statusCode, json: async () => response.json() }
    },
    texts: {
      async page(key, lang) {
        const found = await texts.find(key, lang)
        return (
          found &&
          texts.page(found).catch((error: unknown) => {
            logError(request, error, "a page's text couldn't be read")
            return null
          })
        )
      },
      listed: texts.listed,
    },
    onError: (error) => logError(request, error, "a page couldn't be rendered"),
  })

  return options.dev ? serveSources(app, options, isApi, inputFor) : serveBuild(app, options, isApi, inputFor)
}

/** The 429 that the API answered to a page, by the page's request. */
const refusals = new WeakMap<FastifyRequest, WireError>()

/** Answers 429 instead of a page without its lists, which would have status 503. */
function throwRefusal(request: FastifyRequest): void {
  const refusal = refusals.get(request)
  if (refusal === undefined) return
  const { message, retryAfterMs } = refusal
  throw new AppError('rate-limited', message, retryAfterMs === undefined ? {} : { retryAfterMs })
}

type InputFor = (entry: ServerEntry, request: FastifyRequest) => Promise<RenderInput>

async function serveBuild(
  app: FastifyInstance,
  {
    publicUrl,
    apiPrefix,
    config,
    settings,
    forms,
    hasPost,
    limits,
    distDir = join(WEB_DIR, 'dist'),
  }: PagesOptions,
  isApi: (path: string) => boolean,
  inputFor: InputFor,
): Promise<Pages> {
  const { files, template, frameTemplate, loader, entry } = await loadWebBuild(distDir)
  const pages = new PageCache([entry.notFoundKey, entry.missingPostKey])
  const charge = async (request: FastifyRequest, reply: FastifyReply, points: number) =>
    showLimit(reply, 'address', await limits.charge('address', request.ip, points))

  /**
   * Resolves to whether the URL names a post that does not exist. This is looked up before anything is rendered, because
   * strangers can name any number of such posts.
   */
  async function isMissingPost(request: FastifyRequest, reply: FastifyReply, url: string): Promise<boolean> {
    const slug = pages.has(url.slice(publicUrl.length)) ? null : entry.postSlug(url)
    if (slug === null) return false
    await charge(request, reply, LIST_READ_POINTS)
    // If the store fails, the page itself says so.
    return !(await hasPost(slug).catch(() => true))
  }

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

    const input = await inputFor(entry, request)
    if (await isMissingPost(request, reply, input.url)) input.url = publicUrl + entry.missingPostKey
    const page = await pages.get(input.url.slice(publicUrl.length), async () => {
      await charge(request, reply, RENDER_POINTS)
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
    await charge(request, reply, RENDER_POINTS)
    const result = await entry.render({ ...(await inputFor(entry, request)), form }, template)
    return sendFormPage(reply, result, status)
  })

  return {
    find: (address, accepted) => files.get(address)?.sentResponse(accepted) ?? pages.find(address, accepted),
    clearCache: () => pages.clear(),
    reads: pages.reads,
    embed: {
      frame: async (site) => {
        const { languages } = await settings()
        return entry.renderFrame({ config, languages, apiPrefix, site }, frameTemplate)
      },
      loader: async () => loader,
      devPolicy: null,
    },
    entry: async () => entry,
  }
}

/** The exports of `web/dev-server.ts`, which is loaded by its path because api does not import web. */
interface DevServer {
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  entry(): Promise<ServerEntry>
  template(url: string, file: string): Promise<string>
  loader(): Promise<string>
  close(): Promise<void>
}

async function serveSources(
  app: FastifyInstance,
  { apiPrefix, config, settings, forms }: PagesOptions,
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
    const input = await inputFor(entry, request)
    const result = await entry.render(input, await vite.template(request.url, 'index.html'))
    reply.headers({ 'content-security-policy': DEV_CONTENT_SECURITY_POLICY, 'cache-control': 'no-cache' })
    return sendResult(reply, result)
  })

  await registerForms(app, forms, async (request, reply, form, status) => {
    const entry = await vite.entry()
    const input = { ...(await inputFor(entry, request)), form }
    const result = await entry.render(input, await vite.template(request.url, 'index.html'))
    return sendFormPage(reply.header('content-security-policy', DEV_CONTENT_SECURITY_POLICY), result, status)
  })

  return {
    find: () => undefined,
    clearCache() {},
    reads: { hits: 0, misses: 0 },
    embed: {
      frame: async (site) => {
        const template = await vite.template(EMBED_PATH, 'frame.html')
        const { languages } = await settings()
        return (await vite.entry()).renderFrame({ config, languages, apiPrefix, site }, template)
      },
      loader: vite.loader,
      devPolicy: DEV_CONTENT_SECURITY_POLICY,
    },
    entry: vite.entry,
  }
}

const ANY_HOST = 'http://own.invalid'

/**
 * Returns null when the URL cannot be a page's path: `GET *`, dot segments (which browsers resolve), and what the
 * page's router rejects because it parses the path as a URL, such as `//%09/` with its invalid host.
 */
function pathOf(url: string): string | null {
  const [path = ''] = url.split('?')
  if (!path.startsWith('/') || /\/(\.|%2e){1,2}(\/|$)/i.test(path)) return null
  return URL.canParse(new URL(ANY_HOST + path).pathname, ANY_HOST) ? path : null
}

/** Sends a form's result, which is for one client and never cached. */
function sendFormPage(reply: FastifyReply, result: RenderResult, status: number): FastifyReply {
  reply.header('cache-control', 'no-store')
  return sendResult(reply, result.kind === 'page' && result.status === 200 ? { ...result, status } : result)
}

function sendResult(reply: FastifyReply, result: RenderResult): FastifyReply {
  if (result.kind === 'redirect') return reply.redirect(result.location, result.status)
  if (result.kind === 'text') return reply.type(result.type).send(result.text)
  if (result.isPrivate) reply.headers(PRIVATE_HEADERS)
  return reply.code(result.status).type(HTML).send(result.html)
}

/** Keep a private page's address and content from caches, search engines, and the pages to which it links. */
const PRIVATE_HEADERS = {
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex',
  'referrer-policy': 'no-referrer',
}
