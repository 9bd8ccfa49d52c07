import { ERRORS } from '@proctorpass/shared/errors'
import { ErrorSchema } from '@proctorpass/shared/schemas/error'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import '../../test/test-timeouts.ts'
import { makeWebBuild } from '../../test/web-build.ts'
import { accessOf } from '../auth/access.ts'

/** What OpenAPI says of a value. */
interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  minimum?: number
}

interface Route {
  method: string
  /** The header of a caller whom its access admits. */
  headers: Record<string, string>
  /** With `{name}` for each parameter. */
  path: string
  query: string[]
  body: Schema | null
  isForm: boolean
}

interface Operation {
  parameters?: { in: string; name: string }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** Every value of a body, a query or a path is one of these once. */
const VALUES: unknown[] = [
  null,
  true,
  -1,
  1.5,
  9_007_199_254_740_992,
  '',
  '\0',
  '\ud800',
  '%',
  '__proto__',
  '9'.repeat(400),
  '+275760-09-13T00:00:00.000Z',
  'a".b*',
  [],
  [null],
  ['a', 'a'],
  {},
  { $gt: '' },
  { toString: 1 },
]
const BODIES = [
  '',
  ' ',
  '{',
  '[',
  'null',
  '0',
  '"x"',
  '[]',
  '{}',
  '\ufeff{}',
  '{"a":1e999}',
  '{"a":"\\ud800"}',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"a":1,"a":2}',
  `${'[{"a":'.repeat(60)}`,
  Buffer.from([0x22, 0xff, 0xfe, 0x22]),
]
const TYPES = [
  '',
  ' ',
  ';',
  'a',
  'application/json\ta',
  'application/json x',
  'Application/JSON',
  'text/plain',
  'application/json; charset=utf-16',
  'application/json, text/plain',
  'application/x; multipart/form-data',
  'application/x-www-form-urlencoded',
  'application/csp-report',
  'application/reports+json',
  `application/json;${'a'.repeat(4_000)}`,
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="',
  `multipart/form-data; boundary=${'x'.repeat(200)}`,
  'multipart/mixed; boundary=x',
]
const PARTS = [
  'form-data; filename="x"',
  'form-data',
  '',
  'form-data; name=""',
  'form-data; name=',
  'attachment; name="file"',
  'form-data; name=""; filename=""',
  'form-data; name; filename',
  'form-data; name="file"; filename',
  'form-data; name="__proto__"',
  'form-data; name="constructor"; filename="x"',
  'form-data; name="\ud83d"',
  `form-data; name="${'n'.repeat(300)}"`,
  `form-data; name="file"; filename="${'n'.repeat(9_000)}"`,
  "form-data; name*=utf-8''%ff%fe",
  "form-data; name=file; filename*=x''%zz",
  "form-data; filename*=utf-8''x",
  'form-data; name="a\u0000b"',
  'form-data; name="file"; filename="../../x\u0000.png"',
  'FORM-DATA; NAME=x',
]
const part = (disposition: string, more = '') =>
  `--x\r\nContent-Disposition: ${disposition}\r\n${more}\r\nvalue\r\n--x--\r\n`
const FORMS = [
  ...PARTS.map((disposition) => part(disposition)),
  ...PARTS.map((disposition) => part(disposition, 'Content-Type: application/json\r\n')),
  ...['multipart/mixed, boundary=y', 'text/plain; charset=utf-16', ';', 'a'.repeat(9_000)].map((type) =>
    part('form-data; name="file"; filename="x"', `Content-Type: ${type}\r\n`),
  ),
  part('form-data; name="title"', 'Content-Transfer-Encoding: base64\r\n'),
  '',
  '--x',
  '--x--',
  '--x\r\n\r\n',
  '--x\r\nContent-Disposition: form-data',
  '--y\r\n\r\n\r\n--y--',
  '\r\n',
  part('form-data; name="a"').replace('--x--', '').repeat(40),
  `--x\r\n${'A: b\r\n'.repeat(3_000)}\r\n\r\n--x--`,
]
const HEADERS: Record<string, string>[] = [
  ...['Bearer', 'Bearer ', 'Visitor', 'Visitor x', 'Basic x', `Bearer ${'a.'.repeat(900)}`, '\u00ff'].map(
    (authorization) => ({ authorization }),
  ),
  ...['=', 'refresh=%', 'refresh=%00; known=%ff', `refresh=${'a.'.repeat(2_000)}`, '__proto__=x'].map(
    (cookie) => ({
      cookie,
    }),
  ),
  ...[',', 'br;q=x', '*;q=0', 'gzip'.repeat(2_000)].map((value) => ({ 'accept-encoding': value })),
  { 'if-none-match': '*, W/"' },
  { range: 'bytes=9-1' },
  { 'content-encoding': 'gzip', 'content-type': 'application/json' },
  { 'x-forwarded-for': 'a, ,::ffff:999.1.1.1', 'x-http-method-override': 'DELETE' },
  { origin: 'null' },
  { origin: 'http://[' },
  { host: 'a b' },
  { 'accept-language': '*;q=2', 'user-agent': '\u00ff'.repeat(4_000), 'sec-fetch-site': 'x' },
  { expect: '200-ok', 'content-length': '4' },
]

const build = makeWebBuild()
const clientId = newClientId()
let test: TestApp
let routes: Route[]

beforeAll(async () => {
  test = await buildTestApp({
    variables: { RATE_LIMITS: 'off', SERVE_WEB: 'true', PUBLIC_REVIEWS: 'moderated', LOG_LEVEL: 'error' },
    distDir: build.distDir,
  })
  await test.call('POST', '/api/chat', { payload: { clientId, message: 'hello' } })
  const { authorization } = (await test.signIn()).bearer
  const settings = (await test.call('GET', '/api/settings', { headers: { authorization } })).json()
  const allowed = await test.call('PUT', '/api/settings', {
    headers: { authorization },
    payload: { ...settings, files: true, rating: true },
  })
  expect(allowed.statusCode).toBe(200)
  routes = await readRoutes({ authorization })
})
afterAll(async () => {
  await test.close()
  build.remove()
})

/** Every documented route, and those of the pages. */
async function readRoutes(admin: Record<string, string>): Promise<Route[]> {
  const { paths } = (await test.call('GET', '/docs/json')).json<{
    paths: Record<string, Record<string, Operation>>
  }>()
  // Pages have routes of their own below, with a path.
  delete paths['/{*}']
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters = [], requestBody }]): Route => {
      const [type, content] = Object.entries(requestBody?.content ?? {})[0] ?? []
      return {
        method: method.toUpperCase(),
        headers: access(method.toUpperCase(), path).access === 'admin' ? admin : {},
        path,
        query: parameters.filter((each) => each.in === 'query').map(({ name }) => name),
        body: content?.schema ?? null,
        isForm: type === 'multipart/form-data',
      }
    }),
  )
  const page = { headers: {}, query: ['page'], body: null, isForm: false }
  const pages = ['/', '/contact', '/reviews'].map((path) => ({ ...page, method: 'POST', path }))
  return [
    ...documented,
    ...pages,
    { ...page, method: 'GET', path: '/blog/{slug}' },
    { ...page, method: 'GET', path: '/{path}' },
  ]
}

const access = (method: string, path: string) => accessOf(method, path.replace(/\{(\w+)\}/g, ':$1'), '/api')
const isError = Compile(ErrorSchema)

/** The problem with an answer; null without one. */
function wrongWith(answer: LightMyRequestResponse): string | null {
  if (answer.statusCode < 400 || isHtml(answer))
    return answer.statusCode >= 500 ? String(answer.statusCode) : null
  let body: { code?: string; message?: string }
  try {
    body = answer.json()
  } catch {
    return answer.body === '' && answer.raw.req.method === 'HEAD'
      ? null
      : `no JSON: ${answer.body.slice(0, 80)}`
  }
  const known =
    isError.Check(body) && Object.hasOwn(ERRORS, body.code) && !/FST_|serializ|undefined/.test(body.message)
  return known && answer.statusCode < 500 ? null : `${answer.statusCode} ${answer.body.slice(0, 200)}`
}

const isHtml = ({ headers }: LightMyRequestResponse) =>
  String(headers['content-type']).startsWith('text/html')

const GOOD: Record<string, unknown> = {
  clientId,
  slug: 'a-post',
  id: 'a'.repeat(24),
  page: '1',
  email: 'a@b.example',
}

/** A value that a schema accepts, or nearly does. */
function sampleOf(schema: Schema, name = ''): unknown {
  if (name in GOOD) return GOOD[name]
  if ('const' in schema) return schema.const
  const first = schema.enum?.[0] ?? (schema.anyOf ?? schema.oneOf)?.[0]
  if (first !== undefined) return typeof first === 'object' ? sampleOf(first as Schema, name) : first
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, each]) => [key, sampleOf(each, key)]),
      )
    case 'array':
      return schema.items === undefined ? [] : [sampleOf(schema.items)]
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    default:
      return 'abcdefgh'
  }
}

const pathOf = ({ path }: Route, filled: (name: string) => string) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => filled(name))
const good = (name: string) => String(GOOD[name] ?? 'a'.repeat(24))

function encoded(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}

/** Sends the requests that `requestsOf` makes for each route, and lists the bad answers. */
async function walk(
  requestsOf: (route: Route) => InjectOptions[],
  only = (_: Route) => true,
): Promise<string[]> {
  const found = new Set<string>()
  for (const route of routes.filter(only)) {
    for (const request of requestsOf(route)) {
      const headers = { ...route.headers, ...request.headers }
      const options = { url: pathOf(route, good), ...request, headers }
      const answer = await test.call(route.method as 'GET', String(options.url), options)
      const wrong = wrongWith(answer)
      if (wrong === null) continue
      const sent = JSON.stringify({ ...request, payload: String(request.payload).slice(0, 160) }).slice(
        0,
        300,
      )
      found.add(`${route.method} ${route.path} ${wrong} for ${sent}`)
    }
  }
  return [...found]
}

const writes = ({ method }: Route) => method !== 'GET'
const json = (payload: string | Buffer): InjectOptions => ({
  payload,
  headers: { 'content-type': 'application/json' },
})

it('walks the routes', () => {
  expect(routes.length).toBeGreaterThan(75)
  expect(routes.filter(({ isForm }) => isForm).map(({ path }) => path)).toHaveLength(6)
})

it('answers hostile forms in our words', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  expect(
    await walk(
      () => FORMS.map((payload) => ({ payload, headers })),
      ({ isForm }) => isForm,
    ),
  ).toEqual([])
})

it('answers hostile content types in our words', async () => {
  const types = TYPES.map((type) => ({ payload: '{"a":1}', headers: { 'content-type': type } }))
  expect(await walk(() => types, writes)).toEqual([])
})

it('answers hostile bodies in our words', async () => {
  const changed = ({ body }: Route) => {
    const sample = body === null ? {} : (sampleOf(body) as Record<string, unknown>)
    return Object.keys(sample).flatMap((name) =>
      VALUES.map((value) => json(JSON.stringify({ ...sample, [name]: value }))),
    )
  }
  const route = ({ isForm, method }: Route) => !isForm && method !== 'GET'
  expect(await walk((each) => [...BODIES.map(json), ...changed(each)], route)).toEqual([])
})

it('answers hostile paths and queries in our words', async () => {
  const queries = ['?__proto__=1', '?a[]=1', '?%', '?=', '?x=%ED%A0%80', `?${'a&'.repeat(30)}`]
  expect(
    await walk((route) => {
      const url = pathOf(route, good)
      return [
        ...queries.map((query) => ({ url: url + query })),
        ...route.query.flatMap((name) =>
          VALUES.map((value) => ({ url: `${url}?${name}=${encoded(value)}` })),
        ),
        ...route.query.map((name) => ({ url: `${url}?${name}=1&${name}=2` })),
        ...(url === route.path ? [] : [...VALUES, '..', '.', '../../x', '\\', '\r\n']).map((value) => ({
          url: pathOf(route, () => encoded(value)),
        })),
        ...(url === route.path ? [] : ['%', '%ff', '%c0%ae', '%00', ';', '\u00ff']).map((raw) => ({
          url: pathOf(route, () => raw),
        })),
      ]
    }),
  ).toEqual([])
})

it('answers hostile headers in our words', async () => {
  expect(await walk(() => HEADERS.map((headers) => ({ headers })))).toEqual([])
})

it('logs no unexpected error, and serves the next request', async () => {
  expect(test.log).toEqual([])
  expect((await test.postSignIn(ADMIN.userName, ADMIN.password)).statusCode).toBe(200)
})
