import { ROUTE_ACCESS } from '../src/auth/access.ts'
import { buildTestApp } from '../test/build-app.ts'

interface Operation {
  summary?: string
  responses?: Record<string, unknown>
}

interface OpenApiDocument {
  paths?: Record<string, Record<string, Operation>>
}

/**
 * Gaps in the OpenAPI document. It is generated from the routes, so it cannot be out of date; it can only lack a route, a
 * summary, a success response or a referenced schema.
 */
export async function openApiGaps(): Promise<string[]> {
  // With all optional routes.
  const { app, env, close } = await buildTestApp({ variables: { METRICS_TOKEN: 'a-token-for-the-document' } })
  try {
    const document = (await app.inject('/docs/json')).json<OpenApiDocument>()
    const gaps: string[] = []
    for (const route of Object.keys(ROUTE_ACCESS)) {
      // The documents themselves, and pages.
      if (/ \/docs|\*$|^POST \/|^GET \/embed\//.test(route)) continue
      const [verb = '', url = ''] = route.split(' ')
      const path = url.replace('{api}', env.apiPrefix).replace(/:(\w+)/g, '{$1}')
      const operation = document.paths?.[path]?.[verb.toLowerCase()]
      if (!operation) gaps.push(`OpenAPI lacks ${verb} ${path}`)
      else if (!operation.summary) gaps.push(`OpenAPI has no summary of ${verb} ${path}`)
      else if (!Object.keys(operation.responses ?? {}).some((status) => /^[23]/.test(status))) {
        gaps.push(`OpenAPI has no success response of ${verb} ${path}`)
      }
    }
    for (const [, ref] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
      if (!isResolved(document, ref ?? '')) gaps.push(`OpenAPI lacks the referenced ${ref}`)
    }
    return gaps
  } finally {
    await close()
  }
}

function isResolved(document: unknown, ref: string): boolean {
  let at = document
  for (const key of ref.replace(/^#\//, '').split('/')) {
    at = (at as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return ref.startsWith('#/') && at !== undefined
}
