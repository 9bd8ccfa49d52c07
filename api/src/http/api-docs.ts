import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fastify, { type FastifyInstance, type RouteOptions } from 'fastify'

interface Documented {
  brand: string
  routes: readonly RouteOptions[]
  schemas: Record<string, unknown>
}

/**
 * Builds a server for the OpenAPI document and its pages. It knows the routes only by their schemas, and serves only
 * `/docs`.
 */
export async function buildApiDocs({ brand, routes, schemas }: Documented): Promise<FastifyInstance> {
  const app = fastify({ exposeHeadRoutes: false })
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  for (const schema of Object.values(schemas)) app.addSchema(schema)
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: `${brand} API`,
        version: '1',
        description:
          "A site's posts, reviews, and contact messages, and the live chat between its visitors and admins. " +
          'Every error has the shape of Error.',
      },
      components: {
        securitySchemes: {
          visitorKey: {
            type: 'http',
            scheme: 'Visitor',
            description:
              "32 random bytes from the visitor's browser, in base64url without padding. The first message " +
              'with a key locks its conversation to that key.',
          },
          accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          metricsToken: { type: 'http', scheme: 'bearer' },
          refreshCookie: { type: 'apiKey', in: 'cookie', name: 'refresh' },
        },
      },
    },
    refResolver: {
      buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `schema-${index}`),
    },
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // This layout has no top bar, which would load documents from any URL.
    uiConfig: { layout: 'BaseLayout' },
    theme: { title: 'API' },
    // The pages of Swagger UI use inline styles; nothing else is loosened.
    staticCSP: [
      "default-src 'self'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "object-src 'none'",
      "base-uri 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join('; '),
  })
  for (const { method, url, schema = {} } of routes) {
    app.route({ method, url, schema, handler: (_request, reply) => reply.callNotFound() })
  }
  await app.ready()
  return app
}
