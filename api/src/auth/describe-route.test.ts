import fastify, { type FastifySchema, type RouteOptions } from 'fastify'
import { expect, it } from 'vitest'
import type { Access } from './access.ts'
import { describeRoute } from './describe-route.ts'

/** The schemas of a route and of its HEAD route, as Fastify has them after the hook. */
function schemasOf(url: string, access: Access, schema?: FastifySchema, errors?: false) {
  const app = fastify()
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => describeRoute(route, access, '/api'))
  app.addHook('onRoute', (route) => void routes.push(route))
  app.get(
    url,
    { ...(errors === false && { config: { errors } }), ...(schema && { schema }) },
    async () => null,
  )
  return routes.map((route) => route.schema)
}

const OWN = { summary: 'The teams', response: { 200: {} } }
const ERROR = { $ref: 'Error#' }
const WITH_ERRORS = { 200: {}, '4xx': ERROR, '5xx': ERROR }

it('takes the tag from the path and the security from the access', () => {
  for (const url of ['/api/team', '/api/team/:userId', '/api/team.csv', '/team']) {
    const security = [{ accessToken: [] }]
    const described = { ...OWN, tags: ['team'], security, response: WITH_ERRORS }
    expect(schemasOf(url, 'admin', OWN), url).toEqual([described, described])
  }
  const [visitor] = schemasOf('/api/chat', 'visitor', OWN)
  expect(visitor?.security).toEqual([{}, { visitorKey: [] }, { accessToken: [] }])
  const [anyone] = schemasOf('/api/blogs', 'anyone', OWN)
  expect(anyone).toEqual({ ...OWN, tags: ['blogs'], response: WITH_ERRORS })
  expect(OWN.response).toEqual({ 200: {} })
})

it('leaves what the route states itself', () => {
  const own = {
    ...{ tags: ['health'], security: [{ metricsToken: [] }], response: { 200: {}, 401: ERROR } },
    summary: 'Metrics',
  }
  expect(schemasOf('/metrics', 'operator', own)[0]).toEqual(own)
  const [silent] = schemasOf('/healthz', 'anyone', { ...OWN, tags: ['health'] }, false)
  expect(silent).toEqual({ ...OWN, tags: ['health'] })
})

it('leaves routes alone that no document shows', () => {
  expect(schemasOf('/*', 'anyone')).toEqual([undefined, undefined])
  expect(schemasOf('/embed/:site', 'anyone', { hide: true })[0]).toEqual({ hide: true })
})
