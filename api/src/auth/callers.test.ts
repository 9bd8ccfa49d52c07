import { randomBytes } from 'node:crypto'
import { KEY_SCOPES, type KeyScope } from '@proctorpass/shared/schemas/key'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'
import { type Access, accessOf, ROUTE_ACCESS } from './access.ts'

const build = makeWebBuild()
const [OWN_KEY, OTHER_KEY] = ['o'.repeat(43), 'x'.repeat(43)]
let test: TestApp
let admin: string
const keys = {} as Record<KeyScope, string>
beforeAll(async () => {
  const features = { METRICS_TOKEN: randomBytes(24).toString('hex'), SERVE_WEB: 'true', API_PREFIX: '/api' }
  test = await buildTestApp({
    variables: { ...features, RATE_LIMITS: 'off' },
    distDir: build.distDir,
  })
  const { bearer } = await test.signIn()
  admin = bearer.authorization
  const payload = { ...DEFAULT_SETTINGS, files: true, rating: true, version: 0 }
  await test.call('PUT', '/api/settings', { headers: bearer, payload })
  for (const scope of KEY_SCOPES) {
    const payload = { name: scope, scopes: [scope] }
    keys[scope] = (await test.call('POST', '/api/keys', { headers: bearer, payload })).json().key
  }
})
afterAll(async () => {
  await test.close()
  build.remove()
})

/** Bodies that pass the schema: who calls is looked at behind it. */
const BODIES: Readonly<Record<string, object>> = {
  'POST {api}/chat/:clientId/read': { seq: 1 },
  'PATCH {api}/chat/:clientId/profile': { name: 'Sam' },
  'POST {api}/chat/:clientId/rating': { score: 5 },
}
/** What visitors say of themselves: no admin says it for them. */
const VISITORS_ONLY = ['PATCH {api}/chat/:clientId/profile', 'POST {api}/chat/:clientId/rating']
/** A missing file comes first; `attachment-routes.test.ts` has files of others. */
const MISSING_FIRST = ['GET {api}/chat/:clientId/files/:id']

const rows = Object.keys(ROUTE_ACCESS).map((route) => {
  const [method = '', path = ''] = route.split(' ')
  return { route, ...accessOf(method, path.replace('{api}', '/api'), '/api') }
})

/** What a route answers, in a conversation that has the key OWN_KEY. */
async function statusOf(route: string, authorization?: string): Promise<number> {
  const [method = '', path = ''] = route.split(' ')
  const clientId = newClientId()
  const message = () => ({ clientId, message: 'Hello', nonce: newClientId() })
  const begun = await test.call('POST', '/api/chat', {
    headers: { authorization: `Visitor ${OWN_KEY}` },
    payload: message(),
  })
  expect(begun.statusCode).toBe(201)
  const url = path.replace('{api}', '/api').replace(':clientId', clientId)
  const payload = route === 'POST {api}/chat' ? message() : BODIES[route]
  const headers = authorization === undefined ? {} : { authorization }
  const answer = await test.call(method as 'GET', url, { headers, ...(payload && { payload }) })
  return answer.statusCode
}

/** A stranger, a visitor, an admin, a key of each scope, and broken credentials. */
async function statusesOf(route: string) {
  const keyed = async (scope: KeyScope) => [scope, await statusOf(route, `Bearer ${keys[scope]}`)] as const
  return {
    stranger: await statusOf(route),
    visitor: await statusOf(route, `Visitor ${OWN_KEY}`),
    otherVisitor: await statusOf(route, `Visitor ${OTHER_KEY}`),
    admin: await statusOf(route, admin),
    badToken: await statusOf(route, 'Bearer x.y.z'),
    unknownKey: await statusOf(route, `Bearer ppk_${'a'.repeat(43)}`),
    key: Object.fromEntries(await Promise.all(KEY_SCOPES.map(keyed))) as Record<KeyScope, number>,
  }
}
const isAdmitted = (status: number) => status < 500 && status !== 401 && status !== 403

const has = (...kinds: Access[]) => rows.filter(({ access }) => kinds.includes(access))

it('knows every kind of row', () => {
  const kinds = has('anyone', 'browser', 'link', 'frame', 'operator', 'visitor', 'admin')
  expect(kinds).toHaveLength(rows.length)
})

it.each(has('admin'))('$route is for admins and keys with its scope', async ({ route, keyScope }) => {
  const { stranger, visitor, otherVisitor, admin, badToken, unknownKey, key } = await statusesOf(route)
  expect([stranger, visitor, otherVisitor, badToken, unknownKey]).toEqual([401, 403, 403, 403, 401])
  expect(admin).toSatisfy(isAdmitted)
  expectKeys(key, keyScope)
})

it.each(has('visitor'))(
  '$route is for its visitor, admins and keys with its scope',
  async ({ route, keyScope }) => {
    const { stranger, visitor, otherVisitor, admin, badToken, unknownKey, key } = await statusesOf(route)
    expect([badToken, unknownKey]).toEqual([403, 401])
    expect([stranger, otherVisitor]).toEqual(MISSING_FIRST.includes(route) ? [404, 404] : [403, 403])
    expect(visitor).toSatisfy(isAdmitted)
    if (VISITORS_ONLY.includes(route)) expect(admin).toBe(403)
    else expect(admin).toSatisfy(isAdmitted)
    expectKeys(key, keyScope)
  },
)

it.each(has('frame', 'operator'))('$route admits none of them', async ({ route, access }) => {
  const { key, ...others } = await statusesOf(route)
  for (const status of [...Object.values(others), ...Object.values(key)]) {
    expect(status).toBe(access === 'operator' ? 401 : 403)
  }
})

it.each(has('anyone', 'browser', 'link'))('$route is the same for all of them', async ({ route }) => {
  const { key, ...others } = await statusesOf(route)
  for (const status of [...Object.values(others), ...Object.values(key)]) {
    expect(status).toSatisfy(isAdmitted)
    expect(status).toBe(others.stranger)
  }
})

function expectKeys(statuses: Readonly<Record<KeyScope, number>>, keyScope: KeyScope | null): void {
  for (const scope of KEY_SCOPES) {
    const isIn = scope === keyScope || (scope === 'write' && keyScope === 'read')
    if (isIn) expect(statuses[scope], scope).toSatisfy(isAdmitted)
    else expect(statuses[scope], scope).toBe(403)
  }
}
