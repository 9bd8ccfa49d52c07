import type { Site } from '@proctorpass/shared/schemas/site'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'

const PUBLIC_URL = 'https://chat.example.com'
const ORIGINS = [
  'https://shop.example',
  'https://*.shop.example',
  'http://localhost:8080',
  'http://[::1]:8080',
]
const WORDS = { displayName: 'Riverside </script>', greeting: { en: 'Hi', zh: '' } }
const LOOK = { color: '#0a783e', side: 'right', offset: { x: 24, y: 24 } }
const build = makeWebBuild()
let test: TestApp
let site: Site
let disabled: Site
beforeAll(async () => {
  test = await buildTestApp({ variables: { SERVE_WEB: 'true', PUBLIC_URL }, distDir: build.distDir })
  const { bearer } = await test.signIn()
  const add = async (fields: object) =>
    (await test.call('POST', '/api/sites', { headers: bearer, payload: fields })).json().data as Site
  site = await add({ name: 'Shop', ...WORDS, origins: ORIGINS })
  disabled = await add({ name: 'Old shop', origins: ORIGINS, enabled: false })
})
afterAll(async () => {
  await test.close()
  build.remove()
})

const policyOf = (headers: Record<string, unknown>) => String(headers['content-security-policy'])

describe('the words of a site', () => {
  const greeting = { en: 'Hi', zh: '您好', de: 'Hallo', 'pt-BR': 'Olá' }
  const label = { en: 'Chat', zh: '聊天', de: 'Fragen?', 'pt-BR': 'Fale' }
  let id = ''
  let headers = {}
  beforeAll(async () => {
    headers = (await test.signIn()).bearer
    const payload = { name: 'Words', origins: ORIGINS, greeting, look: { ...LOOK, label } }
    const added = await test.call('POST', '/api/sites', { headers, payload })
    id = added.json().data._id
  })
  afterAll(() => switchOn(['en', 'zh']))

  async function switchOn(languages: string[]): Promise<void> {
    const settings = (await test.call('GET', '/api/settings', { headers })).json()
    const payload = { ...settings, languages }
    expect((await test.call('PUT', '/api/settings', { headers, payload })).statusCode).toBe(200)
  }
  const labels = async () => {
    const { body } = await test.call('GET', `/embed/${id}.js`)
    return JSON.parse(/^load\((.*)\)$/.exec(body)?.[1] ?? '').look.label
  }

  it('are those in the languages that are switched on', async () => {
    const shown = async () => (await test.call('GET', `/embed/${id}`)).json().greeting
    expect(await shown()).toEqual({ en: 'Hi', zh: '您好' })
    expect(await labels()).toEqual({ en: 'Chat', zh: '聊天' })
    await switchOn(['de', 'fr'])
    expect(await shown()).toEqual({ en: 'Hi', de: 'Hallo' })
    expect(await labels()).toEqual({ en: 'Chat', de: 'Fragen?' })
  })

  it('are for the language as a whole if only a variant is switched on', async () => {
    await switchOn(['pt-BR'])
    expect(await labels()).toEqual({ en: 'Chat', 'pt-br': 'Fale', pt: 'Fale' })
  })
})

describe('the loader of a site', () => {
  it('is one script with the look inside, for pages of any origin', async () => {
    const answer = await test.call('GET', `/embed/${site._id}.js`)
    expect(answer.statusCode).toBe(200)
    expect(JSON.parse(/^load\((.*)\)$/.exec(answer.body)?.[1] ?? '')).toEqual({
      ...{ id: site._id, origin: PUBLIC_URL, iconColor: '#ffffff' },
      look: { ...LOOK, label: { en: '' } },
    })
    expect(answer.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=300',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    })
    const again = await test.call('GET', `/embed/${site._id}.js`, {
      headers: { 'if-none-match': String(answer.headers.etag) },
    })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it('does nothing for a site that is unknown or disabled', async () => {
    const id = 'x'.repeat(20)
    for (const path of [`/embed/${id}.js`, `/embed/${disabled._id}.js`, '/embed/%2e%2e.js']) {
      const answer = await test.call('GET', path)
      expect([answer.statusCode, answer.body]).toEqual([200, '// This chat is turned off.\n'])
      expect(answer.headers).toMatchObject({
        'cache-control': 'public, max-age=300',
        'cross-origin-resource-policy': 'cross-origin',
        etag: expect.any(String),
      })
    }
  })
})

describe('the frame of a site', () => {
  it('may be framed by its origins only, and loads in isolated pages', async () => {
    const answer = await test.call('GET', `/embed/${site._id}`)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-resource-policy': 'cross-origin',
    })
    expect(answer.headers['x-frame-options']).toBeUndefined()
    expect(answer.json()).toEqual({
      ...WORDS,
      origins: ORIGINS,
      colors: expect.objectContaining({ '--green-fill': site.look.color, '--on-green': '#ffffff' }),
    })
    // The policy of our own pages, but for who may frame it. It knows no IPv6 addresses.
    const own = policyOf((await test.call('GET', '/')).headers)
    expect(policyOf(answer.headers)).toBe(
      own.replace(
        "frame-ancestors 'none'",
        'frame-ancestors https://shop.example https://*.shop.example http://localhost:8080',
      ),
    )
  })

  it('tells a test of the site which page it refused, by the token of the test', async () => {
    const headers = (await test.signIn()).bearer
    const path = `/api/sites/${site._id}/test`
    const { token } = (await test.call('POST', path, { headers })).json()
    const refused = async () =>
      (await test.call('GET', `${path}/${token}`, { headers })).json().refusedOrigin as string | null
    const frame = (query: string, referer: string) =>
      test.call('GET', `/embed/${site._id}${query}`, { headers: { referer } })
    for (const query of ['', `?test=${'x'.repeat(43)}`, '?test=', `?test=${token}&test=${token}`])
      expect((await frame(query, 'https://evil.example/')).statusCode).toBe(200)
    await frame(`?test=${token}`, `https://${'a.'.repeat(160)}example/`)
    await frame(`?test=${token}`, 'https://shop.example/')
    await frame(`?test=${token}`, 'https://staging.example/a?b')
    await expect.poll(refused).toBe('https://staging.example')
  })

  it('is missing for a site that is unknown or disabled, and may not be framed', async () => {
    for (const id of [disabled._id, 'x'.repeat(20)]) {
      const answer = await test.call('GET', `/embed/${id}`)
      expect(answer.statusCode).toBe(404)
      expect(policyOf(answer.headers)).toContain("frame-ancestors 'none'")
      expect(answer.headers['x-frame-options']).toBe('DENY')
    }
  })

  it('changes no other page', async () => {
    for (const path of ['/', '/dashboard', '/embed', `/embed/${site._id}/more`]) {
      const { headers } = await test.call('GET', path)
      expect(policyOf(headers)).toContain("frame-ancestors 'none'")
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'cross-origin-resource-policy': 'same-origin',
      })
      expect(headers['cross-origin-embedder-policy']).toBeUndefined()
    }
  })
})

it('without origins that a policy can name, nothing may frame it', async () => {
  const { bearer } = await test.signIn()
  const origins = ['http://[::1]:8080']
  const added = await test.call('POST', '/api/sites', { headers: bearer, payload: { name: 'x', origins } })
  const answer = await test.call('GET', `/embed/${added.json().data._id}`)
  expect(policyOf(answer.headers)).toContain("frame-ancestors 'none'")
})
