import type { RouteOptions } from 'fastify'
import type { Access } from './access.ts'

const ERROR = { $ref: 'Error#' }

/** OpenAPI's `security` by access. Where a cookie or another token counts, the route states it. */
const SECURITY: { readonly [access in Access]?: readonly { [scheme: string]: readonly string[] }[] } = {
  admin: [{ accessToken: [] }],
  // A conversation without a key needs no authorization.
  visitor: [{}, { visitorKey: [] }, { accessToken: [] }],
}

/**
 * Adds to the schema of a route what follows from its address and its access: the tag (the first part of the path), the
 * security, and the errors 4xx and 5xx. What the route states itself stays, and so does a route without a schema.
 */
export function describeRoute(route: RouteOptions, access: Access, apiPrefix: string): void {
  const { schema, config } = route
  if (schema === undefined || schema.hide) return
  const response = schema.response as Record<string, unknown> | undefined
  const statesErrors =
    config?.errors === false || Object.keys(response ?? {}).some((code) => /^[45]/.test(code))
  const [tag = ''] = /[\w-]+/.exec(route.url.replace(`${apiPrefix}/`, '/')) ?? []
  // A new object: Fastify gives a HEAD route the schema of its GET route.
  route.schema = {
    tags: [tag],
    ...(SECURITY[access] && { security: SECURITY[access] }),
    ...schema,
    ...(!statesErrors && { response: { ...response, '4xx': ERROR, '5xx': ERROR } }),
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False: the document shows no error answers of this route. */
    errors?: false
  }
}
