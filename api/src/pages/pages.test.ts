import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NO_WORDS, shippedSource } from '../../test/shipped-source.ts'
import { RefusalLog } from '../http/refusal-log.ts'
import { createCounters } from '../limits/counters.ts'
import { createLimits } from '../limits/limits.ts'
import { createPageTexts } from '../texts/page-texts.ts'
import { loadShippedTexts } from '../texts/shipped-texts.ts'
import { type Pages, servePages } from './pages.ts'

/** These pages have no texts. */
const TEXTS = {
  languagesOn: async () => ['en', 'zh'],
  find: async () => null,
  page: () => Promise.reject(new Error('not a page')),
  listed: async () => [],
}

const PUBLIC_URL = 'https://chat.example'

const config: PublicConfig = {
  brand: 'ProctorPass',
  supportEmail: 'support@chat.example',
  contacts: { whatsapp: '', discord: '', telegram: '' },
  chat: { transport: 'push', pollMs: 1_000, unreadPollMs: 5_000 },
  publicReviews: 'off',
}

/** Renders the address it was given and how often it was asked; what begins with /gone is not there. */
const ENTRY = `
let times = 0
export const notFoundKey = '/404'
export const missingPostKey = '/blog/404'
export const postSlug = (url) => /^\\/blog\\/(.+)$/.exec(new URL(url).pathname)?.[1] ?? null
export const pageKey = (url) => {
  const { pathname, searchParams } = new URL(url)
  if (pathname.startsWith('/unknown')) return notFoundKey
  if (pathname === '/list') return '/list' + (searchParams.has('page') ? '?page=' + searchParams.get('page') : '')
  return pathname.replace(/^\\/shell\\/.*/, '/shell')
}
export async function render({ url, fetchApi }, template) {
  times += 1
  const { pathname } = new URL(url)
  if (pathname === '/feed.xml') return { kind: 'text', type: 'application/atom+xml', text: '<feed>' + times + '</feed>' }
  if (pathname === '/moved') return { kind: 'redirect', status: 301, location: '/new' }
  if (pathname === '/broken') throw new Error('broken')
  const api = pathname === '/api-reader' ? await (await fetchApi('/thing')).json() : null
  const html = template.replace('BODY', url + ' #' + times + JSON.stringify(api))
  return { kind: 'page', status: [notFoundKey, missingPostKey].includes(pathname) || pathname.startsWith('/gone') ? 404 : 200, html }
}`

let app: FastifyInstance
let pages: Pages
let distDir: string
const posts = new Set<string>()

describe('built pages', () => {
  beforeEach(async () => {
    distDir = mkdtempSync(join(tmpdir(), 'pages-'))
    write('client/index.html', '<html>BODY</html>')
    write('frame/frame.html', '<html>STATE</html>')
    write('loader/loader.js', 'load(EMBED_SITE)')
    write('client/robots.txt', 'robots')
    write('client/.vite/manifest.json', '{}')
    write('client/assets/app-1a2b.js', 'plain')
    write('client/assets/app-1a2b.js.br', 'br')
    write('client/assets/app-1a2b.js.gz', gzipSync('plain'))
    write('server/entry-server.js', ENTRY)
    app = Fastify()
    app.decorate('refusals', new RefusalLog(app.log))
    app.get('/api/thing', async ({ ip }) => ({ thing: 1, ip }))
    pages = await servePages(app, {
      publicUrl: PUBLIC_URL,
      apiPrefix: '/api',
      config,
      forms: {},
      settings: async () => ({ hours: null, languages: { revision: 'r', tags: ['en'] } }),
      texts: TEXTS,
      hasPost: async (slug) => {
        if (slug === 'unreadable') throw new Error('no store')
        return posts.has(slug)
      },
      limits: createLimits({ enabled: false, counters: createCounters(null) }),
      dev: false,
      distDir,
    })
  })

  afterEach(async () => {
    await app.close()
    rmSync(distDir, { recursive: true })
  })

  it('caches a page until the cache is cleared', async () => {
    const first = await get('/')
    expect(first.body).toContain('https://chat.example/ #1')
    expect((await get('/?utm_source=mail')).body).toBe(first.body)
    expect((await get('/other')).body).toContain('/other #2')
    pages.clearCache()
    expect((await get('/')).body).toContain('#3')
  })

  it('shares one render between concurrent requests', async () => {
    const bodies = await Promise.all(Array.from({ length: 5 }, async () => (await get('/')).body))
    expect(new Set(bodies).size).toBe(1)
  })

  it('caches one page for all addresses of one key', async () => {
    expect((await get('/shell/a')).body).toBe((await get('/shell/b')).body)
  })

  it('passes only the page key to the render', async () => {
    expect((await get('/list?page=2&utm_source=mail')).body).toContain('https://chat.example/list?page=2 #1')
    expect((await get('/list?b=1&page=2')).body).toContain('#1')
    expect((await get('/list?page=3')).body).toContain('https://chat.example/list?page=3 #2')
    expect((await get('/list')).body).toContain('https://chat.example/list #3')
    expect((await get('/other?page=2')).body).toContain('https://chat.example/other #4')
  })

  it('renders one page for all posts that do not exist, until content changes', async () => {
    const first = await get('/blog/one?x=1')
    expect([first.statusCode, first.headers.etag]).toEqual([404, undefined])
    expect(first.body).toContain('https://chat.example/blog/404 #1')
    for (const path of ['/blog/two', '/blog/404', '/blog/one', '/blog/%2e%2e%2fx']) {
      const { statusCode, body } = await get(path)
      expect([statusCode, body]).toEqual([404, first.body])
    }
    posts.add('two')
    const created = await get('/blog/two')
    expect([created.statusCode, created.body]).toEqual([200, expect.stringContaining('/blog/two #2')])
    posts.clear()
    // Cached until the content is known to have changed, as every page.
    expect((await get('/blog/two')).body).toBe(created.body)
    pages.clearCache()
    expect((await get('/blog/two')).body).toContain('/blog/404 #3')
    expect((await get('/blog/unreadable')).body).toContain('/blog/unreadable #4')
  })

  it('evicts the least recently used page', async () => {
    const first = await get('/')
    for (let n = 0; n < 999; n += 1) await get(`/page-${n}`)
    expect((await get('/')).body).toBe(first.body)
    await get('/one-more')
    expect((await get('/')).body).toBe(first.body)
    expect((await get('/page-0')).body).not.toContain('#2null')
  })

  it('sends the same page in Brotli, gzip and plain', async () => {
    const plain = await get('/')
    const br = await get('/', { 'accept-encoding': 'gzip, deflate, br' })
    const gzip = await get('/', { 'accept-encoding': 'gzip, br;q=0' })
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(plain.body)
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body)
    expect(br.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3)
  })

  it.each([
    ['*', 'br'],
    ['gzip;q=1.0, *;q=0', 'gzip'],
    ['BR; Q=0.5', 'br'],
    ['br;q=0.0, gzip;q=0', undefined],
    ['identity', undefined],
    ['brotli, x-gzip, ;;,', undefined],
  ])('answers accept-encoding "%s" with %s', async (accepted, encoding) => {
    expect((await get('/', { 'accept-encoding': accepted })).headers['content-encoding']).toBe(encoding)
  })

  it('answers 304 without a body to a matching ETag', async () => {
    const { headers } = await get('/', { 'accept-encoding': 'br' })
    expect(headers['cache-control']).toBe('no-cache')
    const again = await get('/', { 'accept-encoding': 'br', 'if-none-match': `"old", W/${headers.etag}` })
    expect(again).toMatchObject({ statusCode: 304, body: '' })
    expect(again.headers.etag).toBe(headers.etag)
    expect((await get('/', { 'if-none-match': String(headers.etag) })).statusCode).toBe(200)
  })

  it('caches texts other than pages, such as feeds', async () => {
    const feed = await get('/feed.xml', { 'accept-encoding': 'br' })
    expect(feed.headers).toMatchObject({ 'content-type': 'application/atom+xml', 'content-encoding': 'br' })
    const first = await get('/feed.xml')
    expect(first.body).toBe('<feed>1</feed>')
    expect((await get('/feed.xml', { 'if-none-match': String(first.headers.etag) })).statusCode).toBe(304)
    pages.clearCache()
    expect((await get('/feed.xml')).body).toBe('<feed>2</feed>')
  })

  it('answers HEAD as GET without the body', async () => {
    const { statusCode, headers, body } = await app.inject({ method: 'HEAD', url: '/' })
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: '' })
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', vary: 'accept-encoding' })
    expect(Number(headers['content-length'])).toBeGreaterThan(10)
  })

  it('does not cache errors and redirects', async () => {
    const first = await get('/gone')
    expect(first.statusCode).toBe(404)
    expect(first.headers.etag).toBeUndefined()
    expect((await get('/gone')).body).not.toBe(first.body)
    expect((await get('/broken')).statusCode).toBe(500)
    expect((await get('/broken')).statusCode).toBe(500)
    expect(await get('/moved')).toMatchObject({ statusCode: 301, headers: { location: '/new' } })
  })

  it('caches one 404 page for all addresses without a route', async () => {
    const first = await get('/unknown/1', { 'accept-encoding': 'br' })
    expect(first).toMatchObject({
      statusCode: 404,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-encoding': 'br',
        'cache-control': 'no-cache',
      },
    })
    const html = brotliDecompressSync(first.rawPayload).toString()
    expect(html).toContain('https://chat.example/404 #1')
    const answers = [
      await get('/unknown/2?x=1'),
      await get('/404'),
      await get('/404'),
      await get('/unknown/3', { 'if-none-match': '*' }),
    ]
    for (const { statusCode, body } of answers) expect([statusCode, body]).toEqual([404, html])
    // Answers ahead of the router have status 200.
    expect(pages.find('/404', undefined)).toBeUndefined()
    expect(await app.inject({ method: 'HEAD', url: '/unknown' })).toMatchObject({ statusCode: 404, body: '' })
    expect(pages.reads).toEqual({ hits: 5, misses: 1 })
    pages.clearCache()
    expect((await get('/unknown/1')).body).toContain('#2')
  })

  it('takes the origin from PUBLIC_URL, not from the request', async () => {
    const { body } = await app.inject({
      url: '/',
      headers: { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp' },
    })
    expect(body).toContain('https://chat.example/ ')
    expect((await get('//evil.example/x')).body).toContain('https://chat.example//evil.example/x')
  })

  it('lets a page read the API in-process, counted for the client', async () => {
    const { body } = await app.inject({ url: '/api-reader', remoteAddress: '203.0.113.7' })
    expect(body).toContain('{"thing":1,"ip":"203.0.113.7"}')
  })

  it('serves hashed files as immutable, in an accepted encoding', async () => {
    const br = await get('/assets/app-1a2b.js', { 'accept-encoding': 'br, gzip' })
    expect(br).toMatchObject({
      statusCode: 200,
      body: 'br',
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        'content-encoding': 'br',
        vary: 'accept-encoding',
      },
    })
    const gzip = await get('/assets/app-1a2b.js', { 'accept-encoding': 'gzip' })
    expect(gzip.headers['content-encoding']).toBe('gzip')
    expect(gunzipSync(gzip.rawPayload).toString()).toBe('plain')
    expect((await get('/assets/app-1a2b.js')).body).toBe('plain')
    const etag = String(br.headers.etag)
    const again = await get('/assets/app-1a2b.js', { 'accept-encoding': 'br', 'if-none-match': etag })
    expect(again.statusCode).toBe(304)
  })

  it('makes browsers revalidate other files of the build', async () => {
    expect(await get('/robots.txt')).toMatchObject({
      body: 'robots',
      headers: { 'cache-control': 'no-cache' },
    })
  })

  it.each([
    '/assets/nothing.js',
    '/assets/app-1a2b.js.br',
    '/assets/..%2f..%2fserver%2fentry-server.js',
    '/api/unknown',
    '/api',
  ])('has no page for %s', async (url) => {
    const { statusCode, headers } = await get(url)
    expect(statusCode).toBe(404)
    expect(headers['content-type']).toContain('json')
  })

  // Over a connection: app.inject resolves dot segments itself.
  it.each(['/x/../login', '/x/%2E%2e/login', '/x/.%2e/', '/%2e/', '/x/..'])(
    'has no page for %s, which no browser requests',
    async (path) => {
      await app.listen({ host: '127.0.0.1', port: 0 })
      const { port } = app.server.address() as AddressInfo
      const [response] = (await once(request({ port, path }).end(), 'response')) as [IncomingMessage]
      response.resume()
      expect(response.statusCode).toBe(404)
    },
  )

  it.each(['/index.html', '/.vite/manifest.json', '/../server/entry-server.js'])(
    'never sends the file %s',
    async (url) => {
      expect((await get(url)).body).toMatch(/^<html>https:/)
    },
  )
})

it('names the missing step when nothing was built', async () => {
  await expect(
    servePages(Fastify(), {
      publicUrl: PUBLIC_URL,
      apiPrefix: '/api',
      config,
      forms: {},
      settings: async () => ({ hours: null, languages: { revision: 'r', tags: ['en'] } }),
      texts: TEXTS,
      hasPost: async () => true,
      limits: createLimits({ enabled: false, counters: createCounters(null) }),
      dev: false,
      distDir: '/nowhere',
    }),
  ).rejects.toThrow('npm run build')
})

describe('sources in development', () => {
  it('are rendered and served by Vite on the same port', { timeout: 60_000 }, async () => {
    app = Fastify()
    app.get('/api/blogs', async () => ({ blogs: [], count: 0, message: 'No blogs found!' }))
    app.get('/api/reviews', async () => ({ reviews: [], count: 0, message: 'No reviews found!' }))
    const shipped = loadShippedTexts()
    await servePages(app, {
      publicUrl: PUBLIC_URL,
      apiPrefix: '/api',
      config,
      forms: {},
      settings: async () => ({ hours: null, languages: { revision: 'r', tags: ['en'] } }),
      texts: createPageTexts({
        ...{
          shipped,
          texts: shippedSource(shipped),
          languages: NO_WORDS,
          brand: 'A',
          supportEmail: 'a@a.example',
        },
        languagesOn: async () => ['en'],
      }),
      hasPost: async () => true,
      limits: createLimits({ enabled: false, counters: createCounters(null) }),
      dev: true,
    })
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    try {
      const home = await fetch(`${origin}/?utm_source=mail`)
      expect(home.headers.get('content-security-policy')).toContain("'unsafe-inline'")
      const html = await home.text()
      expect(html).toContain('Go into your proctored exam')
      expect(html).toContain('/@vite/client')

      const script = await fetch(`${origin}/src/entry-client.tsx`)
      expect(script.headers.get('content-type')).toContain('javascript')
      expect((await fetch(`${origin}/nothing-here`)).status).toBe(404)
      expect((await fetch(`${origin}/api/unknown`)).headers.get('content-type')).toContain('json')
    } finally {
      await app.close()
    }
  })
})

function write(name: string, content: string | Buffer): void {
  const file = join(distDir, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}

function get(url: string, headers: Record<string, string> = {}) {
  return app.inject({ url, headers })
}
