import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { RenderInput, RenderResult, ServerEntry } from '@proctorpass/shared/ssr'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { sendKept } from './kept-body.ts'
import { KeptPages } from './kept-pages.ts'
import { loadWebBuild } from './web-build.ts'

const WEB_DIR = join(import.meta.dirname, '../../../web')

/** Vite puts its own scripts and styles into the page. */
const DEV_CONTENT_SECURITY_POLICY =
  "default-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ws:"

interface PagesOptions {
  publicUrl: string
  apiPrefix: string
  config: PublicConfig
  /** Serve `web` from its sources through Vite, in place of what was built. */
  dev: boolean
  /** Where the built pages are. */
  distDir?: string
}

export interface Pages {
  /** To be called when anything changed that a public page shows. */
  dropKeptPages(): void
}

/** Answers every GET that no other route takes: files of the web build, and pages. */
export async function servePages(app: FastifyInstance, options: PagesOptions): Promise<Pages> {
  const { publicUrl, apiPrefix, config } = options
  const isApi = (path: string) => apiPrefix !== '' && (path === apiPrefix || path.startsWith(`${apiPrefix}/`))

  const inputFor = (path: string): RenderInput => ({
    url: publicUrl + path,
    config,
    publicUrl,
    apiPrefix,
    async fetchApi(apiPath) {
      const response = await app.inject({ url: apiPrefix + apiPath })
      return { status: response.statusCode, json: async () => response.json() }
    },
  })

  return options.dev ? serveSources(app, isApi, inputFor) : serveBuild(app, options, isApi, inputFor)
}

async function serveBuild(
  app: FastifyInstance,
  { distDir = join(WEB_DIR, 'dist') }: PagesOptions,
  isApi: (path: string) => boolean,
  inputFor: (path: string) => RenderInput,
): Promise<Pages> {
  const { files, template, entry } = await loadWebBuild(distDir)
  const pages = new KeptPages()

  app.get('/*', async (request, reply) => {
    const path = pathOf(request.url)
    if (path === null || isApi(path)) return reply.callNotFound()

    const isAsset = path.startsWith('/assets/')
    const file = files.get(path)
    if (file) {
      // A name in assets/ carries the hash of its content.
      reply.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache')
      return sendKept(request, reply, file)
    }
    if (isAsset) return reply.callNotFound()

    const input = inputFor(path)
    const page = await pages.get(entry.pageKey(input.url), () => entry.render(input, template))
    if (page.kind === 'once') return sendOnce(reply, page.result)
    return sendKept(request, reply.header('cache-control', 'no-cache'), page.body)
  })

  return { dropKeptPages: () => pages.drop() }
}

/** `web/dev-server.ts`, which is loaded by its path: api does not import web. */
interface DevServer {
  answer(request: IncomingMessage, response: ServerResponse): Promise<boolean>
  entry(): Promise<ServerEntry>
  template(url: string): Promise<string>
  close(): Promise<void>
}

async function serveSources(
  app: FastifyInstance,
  isApi: (path: string) => boolean,
  inputFor: (path: string) => RenderInput,
): Promise<Pages> {
  const { openDevServer } = await import(pathToFileURL(join(WEB_DIR, 'dev-server.ts')).href)
  const vite: DevServer = await openDevServer(app.server)
  app.addHook('preClose', () => vite.close())

  app.get('/*', async (request, reply) => {
    const path = pathOf(request.url)
    if (path === null || isApi(path)) return reply.callNotFound()
    if (await vite.answer(request.raw, reply.raw)) return reply.hijack()
    const entry = await vite.entry()
    const result = await entry.render(inputFor(path), await vite.template(request.url))
    return sendOnce(reply.header('content-security-policy', DEV_CONTENT_SECURITY_POLICY), result)
  })

  return { dropKeptPages() {} }
}

/** No page reads its query yet, so it is left off before anything looks. Null for what is no path, as `GET *`. */
function pathOf(url: string): string | null {
  const [path = ''] = url.split('?')
  return path.startsWith('/') ? path : null
}

function sendOnce(reply: FastifyReply, result: RenderResult): FastifyReply {
  reply.header('cache-control', 'no-cache')
  if (result.kind === 'redirect') return reply.redirect(result.location, result.status)
  return reply.code(result.status).type('text/html; charset=utf-8').send(result.html)
}
