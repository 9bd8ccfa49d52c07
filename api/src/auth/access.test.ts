import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { accessOf, ROUTE_ACCESS } from './access.ts'

let test: TestApp
beforeAll(async () => {
  test = await buildTestApp({ variables: { API_PREFIX: '/api' } })
})
afterAll(() => test.close())

/** Every route of the router: `GET /api/chat`. */
function routesOf(printed: string): string[] {
  const routes: string[] = []
  const path: string[] = []
  for (const line of printed.split('\n')) {
    const found = /^((?:│ {3}| {4})*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line)
    if (!found) continue
    const [, indent = '', part = '', methods = ''] = found
    path.length = indent.length / 4
    path.push(part)
    for (const method of methods.split(', ').filter(Boolean)) routes.push(`${method} ${path.join('')}`)
  }
  return routes
}

describe('access', () => {
  it('has a row for every route of the router', () => {
    const routes = routesOf(test.app.printRoutes({ commonPrefix: true }))
    expect(routes).toContain('GET /api/chat/unread/count')
    expect(routes.length).toBeGreaterThan(15)
    for (const route of routes) {
      const [method = '', url = ''] = route.split(' ')
      expect(() => accessOf(method, url, '/api'), route).not.toThrow()
    }
  })

  it('has a route for every row, except those of pages and of features that are off', () => {
    const routes = routesOf(test.app.printRoutes({ commonPrefix: true }))
    const rows = Object.keys(ROUTE_ACCESS).map((row) => row.replace('{api}', '/api'))
    expect(rows.filter((row) => !routes.includes(row))).toEqual([
      'GET /metrics',
      'GET /embed/:site.js',
      'GET /embed/:site',
      'GET /*',
      'POST /',
      'POST /contact',
      'POST /reviews',
    ])
  })

  it('throws for a route without a row', async () => {
    expect(() => accessOf('DELETE', '/api/chat', '/api')).toThrow('access.ts')
    expect(() => accessOf('GET', '/chat', '/api')).toThrow('access.ts')
  })

  const rows = Object.keys(ROUTE_ACCESS).map((route) => {
    const [method = '', path = ''] = route.split(' ')
    return [route, accessOf(method, path.replace('{api}', '/api'), '/api')] as const
  })

  it('keeps from keys what only people may do', () => {
    const never = rows.filter(([, { keyScope }]) => keyScope === null).map(([route]) => route)
    for (const part of ['/keys', '/settings', '/account', '/push', '/export', '/team/', '/updates']) {
      const routes = rows.map(([route]) => route).filter((route) => route.includes(part))
      expect(routes.length, part).toBeGreaterThan(0)
      expect(never, part).toEqual(expect.arrayContaining(routes))
    }
    for (const erasing of ['DELETE {api}/chat/admin/:clientId', 'DELETE {api}/chat/:clientId']) {
      expect(never).toContain(erasing)
    }
  })

  it('sends no-store with every personal answer, at any spelling of the path', async () => {
    const { bearer } = await test.signIn()
    for (const [row, { access }] of rows) {
      const [method = '', path = ''] = row.split(' ')
      const isRead = method === 'GET'
      if ((access === 'anyone' && isRead) || access === 'operator' || !path.startsWith('{api}')) continue
      const url = path.replace('{api}', '/api').replace(':clientId', newClientId())
      // The first letter after the prefix, as %XX.
      const encoded = url.replace(
        /^\/api\/(.)/,
        (_, sign: string) => `/api/%${sign.charCodeAt(0).toString(16)}`,
      )
      for (const address of [url, encoded]) {
        const headers = access === 'anyone' ? {} : bearer
        const answer = await test.call(method as 'GET', address, { headers })
        expect(answer.headers['cache-control'], `${method} ${address}`).toBe('no-store')
      }
    }
  })
})
