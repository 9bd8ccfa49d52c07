import type { RouteOptions } from 'fastify'
import type { Access } from './access.ts'

const ERROR = { $ref: 'Error#' }

/** OpenAPI's `security` by access. A route states it itself where a cookie or another token counts. */
const SECURITY: { readonly [access in Access]?: readonly { [scheme: string]: readonly string[] }[] } = {
  admin: [{ accessToken: [] }],
  // A conversation without a key needs no authorization.
  visitor: [{}, { visitorKey: [] }, { accessToken: [] }],
}

/**
 * Adds to a route's schema what follows from its address and access: the tag (the first part of the path), the
 * security, and the errors 4xx and 5xx. Whatever the route states itself stays, and a route without a schema stays
 * unchanged.
 */
export function describeRoute(route: RouteOptions, access: Access, apiPrefix: string): void {
  const { schema, config } = route
  if (schema === undefined || schema.hide) return
  const response = schema.response as Record<string, unknown> | undefined
  const statesErrors =
    config?.errors === false || Object.keys(response ?? {}).some((code) => /^[45]/.test(code))
  const [tag = ''] = /[\w-]+/.exec(route.url.replace(`${apiPrefix}/`, '/')) ?? []
  // The schema is a new object, because Fastify gives a HEAD route the schema of its GET route.
  route.schema = {
    tags: [tag],
    ...(SECURITY[access] && { security: SECURITY[access] }),
    ...schema,
    ...(!statesErrors && { response: { ...response, '4xx': ERROR, '5xx': ERROR } }),
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False if the document should show no error answers for this route. */
    errors?: false
  }
}
