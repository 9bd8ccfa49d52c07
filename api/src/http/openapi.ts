import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'

/** Of a connection, not of an answer. */
const OF_CONNECTION = ['connection', 'date', 'keep-alive', 'transfer-encoding']

/**
 * Serves the OpenAPI document of all routes registered later, and its pages, at /docs. Both are made at the first
 * request, because they would take a quarter of the start and 10 MB of memory.
 */
export function serveApiDocs(app: FastifyInstance, { brand }: { brand: string }): void {
  const routes: RouteOptions[] = []
  const handler = async (request: FastifyRequest, reply: FastifyReply) => {
    docs ??= openDocs()
    const { url, headers: asked } = request
    const { statusCode, headers, rawPayload } = await (await docs).inject({ url, headers: asked })
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
