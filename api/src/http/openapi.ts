import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

/** Headers that belong to a connection, not to an answer. */
const OF_CONNECTION = ['connection', 'date', 'keep-alive', 'transfer-encoding']

/** Each of these takes milliseconds to write, and never changes. */
const WRITTEN_ONCE: ReadonlySet<string> = new Set(['/docs/json', '/docs/yaml'])

/**
 * Serves the OpenAPI document of all routes that are registered later, and its pages, at /docs. Both are made for the
 * first request, because they would take a quarter of the start and 10 MB of memory.
 */
export function serveApiDocs(app: FastifyInstance, { brand }: { brand: string }): void {
  const routes: RouteOptions[] = []
  const ask = async ({ url, headers }: Pick<FastifyRequest, 'url' | 'headers'>) => {
    docs ??= openDocs()
    return (await docs).inject({ url, headers })
  }
  const written = new Map<string, ReturnType<typeof ask>>()
  const askOnce = (path: string) => {
    const answer = written.get(path) ?? ask({ url: path, headers: {} })
    written.set(path, answer)
    answer.catch(() => written.delete(path))
    return answer
  }
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = request.url.split('?')
    const answer = await (WRITTEN_ONCE.has(path) ? askOnce(path) : ask(request))
    const { statusCode, rawPayload } = answer
    const headers = { ...answer.headers }
    if (statusCode === 404) return reply.callNotFound()
    for (const name of OF_CONNECTION) delete headers[name]
    return reply.code(statusCode).headers(headers).send(rawPayload)
  }
  app.get('/docs', handler)
  app.get('/docs/*', handler)
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route)
  })

  let docs: Promise<FastifyInstance> | undefined
  const openDocs = async () => {
    try {
      const { buildApiDocs } = await import('./api-docs.ts')
      return await buildApiDocs({ brand, routes, schemas: app.getSchemas() })
    } catch (error) {
      docs = undefined
      throw error
    }
  }
}
