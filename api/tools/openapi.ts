import { ROUTE_ACCESS } from '../src/auth/access.ts'
import { buildTestApp } from '../test/build-app.ts'

interface Operation {
  summary?: string
  responses?: Record<string, unknown>
}

/**
 * What the OpenAPI document lacks. It is made from the routes themselves and not kept in a file, so it cannot be
 * out of date; it can only miss a route, say nothing about one, or refer to a schema that is not in it.
 */
export async function openApiGaps(): Promise<string[]> {
  // With everything that can be switched on.
  const { app, env, close } = await buildTestApp({ variables: { METRICS_TOKEN: 'a-token-for-the-document' } })
  try {
    const document = app.swagger() as { paths?: Record<string, Record<string, Operation>> }
    const gaps: string[] = []
    for (const route of Object.keys(ROUTE_ACCESS)) {
      // The documents themselves, and what answers with pages.
      if (/ \/docs|\*$|^POST \//.test(route)) continue
      const [verb = '', url = ''] = route.split(' ')
      const path = url.replace('{api}', env.apiPrefix).replace(/:(\w+)/g, '{$1}')
      const operation = document.paths?.[path]?.[verb.toLowerCase()]
      if (!operation) gaps.push(`OpenAPI lacks ${verb} ${path}`)
      else if (!operation.summary) gaps.push(`OpenAPI says nothing about ${verb} ${path}`)
      else if (!Object.keys(operation.responses ?? {}).some((status) => status.startsWith('2'))) {
        gaps.push(`OpenAPI knows no good answer of ${verb} ${path}`)
      }
    }
    for (const [, ref] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
      if (!leadsSomewhere(document, ref ?? '')) gaps.push(`OpenAPI refers to ${ref}, which is not in it`)
    }
    return gaps
  } finally {
    await close()
  }
}

function leadsSomewhere(document: unknown, ref: string): boolean {
  let at = document
  for (const key of ref.replace(/^#\//, '').split('/')) {
    at = (at as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return ref.startsWith('#/') && at !== undefined
}
