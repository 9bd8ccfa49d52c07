import type { TextFieldsByKind } from '@proctorpass/shared/fields/page-texts'
import { ARTICLE_SLUGS } from '@proctorpass/shared/limits'
import type { Text, TextSummary } from '@proctorpass/shared/schemas/text'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { shippedSample } from '../../test/shipped-sample.ts'

let test: TestApp
let headers: { authorization: string }
beforeAll(async () => {
  test = await buildTestApp({ shippedTexts: shippedSample() })
  headers = (await test.signIn()).bearer
})
afterAll(() => test.close())

const GUIDE = `article:${ARTICLE_SLUGS[0]}`
const call = async (method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, payload?: object) => {
  const answer = await test.call(method, `/api${path}`, { headers, ...(payload && { payload }) })
  return { status: answer.statusCode, body: answer.json(), answer }
}
const read = async (key: string, query = ''): Promise<Text> =>
  (await test.call('GET', `/api/texts/${key}${query}`)).json()
const details = (body: { details?: { field: string }[] }) => body.details?.map(({ field }) => field)

/** Writes some fields of a text over what it has. */
async function write(key: string, change: object, query = '', version?: number) {
  const text = await read(key, query)
  const fields = { ...text.fields, ...change }
  return call('PUT', `/texts/${key}${query}`, { fields, version: version ?? text.version })
}

describe('texts', () => {
  beforeEach(async () => {
    for (const key of ['terms', 'privacy', 'home', 'faq', GUIDE]) {
      const { version } = await read(key)
      await call('DELETE', `/texts/${key}?version=${version}`)
      const zh = await read(key, '?lang=zh')
      await call('DELETE', `/texts/${key}?lang=zh&version=${zh.version}`)
    }
  })

  it('are shipped until they are edited', async () => {
    const { body } = await call('GET', '/texts')
    expect(body.count).toBe(7 + 5 + 3)
    const keys = body.texts.map(({ key }: TextSummary) => key)
    expect(keys.slice(0, 8)).toEqual([
      ...['home', 'faq', 'blogs', 'reviews', 'contact', 'privacy', 'terms'],
      GUIDE,
    ])
    expect(keys.slice(-3)).toEqual(['faq:how-far-ahead', 'faq:which-exams', 'faq:refunds'])
    expect(body.texts[2]).toEqual({
      ...{ key: 'blogs', lang: 'en', state: 'shipped', shippedChanged: false, version: 0 },
      ...{ updatedAt: null, by: null },
    })
    expect(await read('reviews')).toEqual({
      ...{ key: 'reviews', lang: 'en', state: 'shipped', shippedChanged: false, version: 0, updatedAt: null },
      fields: shippedSample().fields('reviews'),
    })
    expect(await read('reviews', '?lang=zh')).toEqual(await read('reviews'))
    for (const key of ['other', 'article:other', 'faq:other', '__proto__', 'x'.repeat(300)]) {
      expect((await test.call('GET', `/api/texts/${key}`)).statusCode).toBe(404)
      expect((await call('PUT', `/texts/${key}`, { fields: {}, version: 0 })).status).toBe(404)
      expect((await call('DELETE', `/texts/${key}?version=0`)).status).toBe(404)
      expect((await call('GET', `/texts/${key}/versions`)).status).toBe(404)
    }
  })

  it('are changed for everyone at once, and sanitized', async () => {
    const { version } = await read('terms')
    const saved = await write('terms', {
      heading: ' New  terms ',
      content: '<h2>Hi</h2><script>x</script><p onclick="x">y <a href="https://a.example">z</a></p>',
    })
    expect(saved.status).toBe(200)
    const text = await read('terms')
    expect(saved.body).toEqual({ message: 'Text saved', data: text })
    expect(text).toMatchObject({
      state: 'own',
      version: version + 1,
      updatedAt: expect.any(String),
      lang: 'en',
    })
    expect(text.fields).toMatchObject({ heading: 'New  terms'.replace('  ', ' ') })
    const { content } = text.fields as TextFieldsByKind['terms']
    expect(content).not.toMatch(/script|onclick/)
    expect(content).toContain('<h2>Hi</h2>')
    const { body } = await call('GET', '/texts')
    expect(body.texts.find(({ key }: TextSummary) => key === 'terms')).toMatchObject({
      ...{ state: 'own', version: version + 1 },
      by: { id: expect.stringMatching(/^[0-9a-f]{24}$/), name: expect.any(String) },
    })
  })

  it('keep their version when nothing changes', async () => {
    const shipped = await read('terms')
    expect((await write('terms', {})).body.data).toEqual(shipped)
    const own = (await write('terms', { lead: 'Own' })).body.data
    expect((await write('terms', { lead: ' Own ' })).body.data).toEqual(own)
    expect((await call('GET', '/texts/terms/versions')).body.versions[0].n).toBe(own.version)
  })

  it('are those of this release, none of which changes when it is saved as it is', async () => {
    const real = await buildTestApp()
    try {
      const { bearer } = await real.signIn()
      const { texts } = (await real.call('GET', '/api/texts', { headers: bearer })).json()
      expect(texts.length).toBeGreaterThan(20)
      for (const { key } of texts) {
        const text = (await real.call('GET', `/api/texts/${key}`)).json()
        const payload = { fields: text.fields, version: 0 }
        const answer = await real.call('PUT', `/api/texts/${key}`, { headers: bearer, payload })
        expect([key, answer.json().data ?? answer.json()]).toEqual([key, text])
      }
      const { items } = (await real.call('GET', '/api/faq')).json()
      expect(items.map(({ _id }: { _id: string }) => `faq:${_id}`)).toEqual(
        texts.map(({ key }: TextSummary) => key).filter((key: string) => key.startsWith('faq:')),
      )
    } finally {
      await real.close()
    }
  })

  it('name each wrong field', async () => {
    const wrong = await write('terms', { title: 'x'.repeat(66), content: '<p> </p>', lead: undefined })
    expect(wrong.status).toBe(400)
    expect(details(wrong.body)).toEqual(['fields/title', 'fields/lead'])
    expect(details((await write('terms', { content: '<p> </p>' })).body)).toEqual(['fields/content'])
    expect(details((await write('home', { tagline: Array(9).fill('x') })).body)).toEqual(['fields/tagline'])
    expect(details((await write(GUIDE, { image: 'https://a.example/b.png' })).body)).toEqual(['fields/image'])
    const long = await write('terms', { content: `<p>${'x'.repeat(512 * 1_024)}</p>` })
    expect([long.status, details(long.body)]).toEqual([413, ['fields/content']])
    const longer = await write('terms', { content: 'x'.repeat(2 ** 21) })
    expect(longer.status).toBe(413)
    for (const payload of [{}, { fields: {} }, { fields: [], version: 0 }, { fields: {}, version: -1 }]) {
      expect((await call('PUT', '/texts/terms', payload)).status).toBe(400)
    }
  })

  it('refuse a change to another version, and lose nothing', async () => {
    const { version } = await read('terms')
    expect((await write('terms', { lead: 'One' }, '', version)).status).toBe(200)
    const stale = await write('terms', { lead: 'Two' }, '', version)
    expect([stale.status, details(stale.body)]).toEqual([409, ['version']])
    expect((await call('DELETE', `/texts/terms?version=${version}`)).status).toBe(409)
    expect((await call('DELETE', '/texts/terms')).status).toBe(400)
    expect((await read('terms')).fields).toMatchObject({ lead: 'One' })
  })

  it('go back to what ships, with an entry in the audit log', async () => {
    const own = (await write('terms', { lead: 'Own' })).body.data
    const reset = await call('DELETE', `/texts/terms?version=${own.version}`)
    expect(reset.status).toBe(200)
    expect(reset.body.data).toMatchObject({ state: 'shipped', version: own.version + 1 })
    expect(reset.body.data.fields).toEqual(shippedSample().fields('terms'))
    const { body } = await call('GET', '/audit?action=text.reset')
    expect(body.entries[0]).toMatchObject({ target: 'terms', details: { lang: 'en' } })

    const written = await write(GUIDE, { h1: 'My own heading' })
    await call('DELETE', `/texts/${GUIDE}?version=${written.body.data.version}`)
    const { entries } = (await call('GET', '/audit?action=text.reset')).body
    expect(entries[0]).toMatchObject({ target: GUIDE, details: { name: 'My own heading' } })
  })

  it('have translations, in languages that are switched on', async () => {
    const written = await write('terms', { lead: '简短' }, '?lang=zh')
    expect(written.body.data).toMatchObject({ lang: 'zh', state: 'own', fields: { lead: '简短' } })
    const { version } = written.body.data
    expect(await read('terms', '?lang=zh')).toMatchObject({ lang: 'zh', version })
    expect(await read('terms')).toMatchObject({ lang: 'en', state: 'shipped' })
    expect((await call('GET', '/texts')).body.texts.at(-1)).toMatchObject({ key: 'terms', lang: 'zh' })
    for (const lang of ['de', 'ZH', 'xx', '', '../x']) {
      const query = `?lang=${encodeURIComponent(lang)}`
      expect(await read('terms', query)).toEqual(await read('terms'))
      expect(details((await write('terms', { lead: 'x' }, query)).body)).toEqual(['lang'])
    }
    const gone = await call('DELETE', `/texts/terms?lang=zh&version=${version}`)
    expect(gone.body).toEqual({ message: 'Translation removed', data: await read('terms', '?lang=zh') })
    expect(gone.body.data).toMatchObject({ lang: 'en', version: 0, fields: { lead: 'First release' } })
    const again = await call('POST', `/texts/terms/versions/${version}/restore?lang=zh`, { version: 0 })
    expect(again.body.data).toMatchObject({ lang: 'zh', version: version + 2, fields: { lead: '简短' } })
  })

  it('are read in English once their language is switched off', async () => {
    await write('terms', { lead: '简短' }, '?lang=zh')
    const switchOn = async (languages: string[]) => {
      const settings = (await call('GET', '/settings')).body
      expect((await call('PUT', '/settings', { ...settings, languages })).status).toBe(200)
    }
    expect(await read('terms', '?lang=zh')).toMatchObject({ lang: 'zh' })
    await switchOn(['en', 'de'])
    expect(await read('terms', '?lang=zh')).toEqual(await read('terms'))
    expect((await write('terms', { lead: 'Kurz' }, '?lang=de')).body.data).toMatchObject({ lang: 'de' })
    await switchOn(['en', 'zh'])
    expect(await read('terms', '?lang=zh')).toMatchObject({ lang: 'zh', fields: { lead: '简短' } })
    expect(await read('terms', '?lang=de')).toMatchObject({ lang: 'en' })
  })

  it('keep the last twenty versions, each with its fields', async () => {
    const { version: first } = await read('privacy')
    for (let n = 1; n <= 21; n += 1) await write('privacy', { lead: `Lead ${n}` })
    const { versions } = (await call('GET', '/texts/privacy/versions')).body
    expect(versions.map(({ n }: { n: number }) => n)).toEqual(
      Array.from({ length: 20 }, (_, index) => first + 21 - index),
    )
    expect(versions[0]).toEqual({
      ...{ n: first + 21, at: expect.any(String) },
      by: { id: expect.any(String), name: expect.any(String) },
    })
    for (const n of [first + 21, first + 2]) {
      const { body } = await call('GET', `/texts/privacy/versions/${n}`)
      expect(body).toMatchObject({ n, fields: { lead: `Lead ${n - first}` } })
    }
    for (const n of [first + 1, first + 22, -1, 'x', '01', 10 ** 13]) {
      expect((await call('GET', `/texts/privacy/versions/${n}`)).status).toBe(404)
      const restored = await call('POST', `/texts/privacy/versions/${n}/restore`, { version: first + 21 })
      expect(restored.status).toBe(404)
    }
    expect((await call('GET', '/texts/privacy/versions/0')).body).toEqual({
      ...{ n: 0, at: null, by: null, fields: shippedSample().fields('privacy') },
    })
    const path = `/texts/privacy/versions/${first + 5}/restore`
    expect((await call('POST', path, { version: first })).status).toBe(409)
    const { body } = await call('POST', path, { version: first + 21 })
    expect(body).toMatchObject({ message: 'Version restored' })
    expect(body.data).toMatchObject({ version: first + 22, fields: { lead: 'Lead 5' } })
    const back = await call('POST', '/texts/privacy/versions/0/restore', { version: first + 22 })
    expect(back.body.data).toMatchObject({ version: first + 23, state: 'shipped' })
  })

  it('are cached until they change', async () => {
    const get = (etag?: string) =>
      test.call('GET', '/api/texts/reviews', { headers: etag === undefined ? {} : { 'if-none-match': etag } })
    const etag = String((await get()).headers.etag)
    expect((await get(etag)).statusCode).toBe(304)
    await write('reviews', { lead: 'Changed' })
    expect((await get(etag)).json().fields.lead).toBe('Changed')
  })

  it('are written by keys with the scope content, and by no one else', async () => {
    for (const [method, path] of [
      ['GET', '/texts'],
      ['PUT', '/texts/terms'],
      ['DELETE', '/texts/terms?version=0'],
      ['GET', '/texts/terms/versions'],
      ['GET', '/texts/terms/versions/0'],
      ['POST', '/texts/terms/versions/0/restore'],
    ] as const) {
      expect((await test.call(method, `/api${path}`)).statusCode).toBe(401)
    }
    const { key } = (await call('POST', '/keys', { name: 'Writer', scopes: ['content'] })).body
    const keyed = { headers: { authorization: `Bearer ${key}` } }
    const { fields, version } = await read('terms')
    const payload = { fields: { ...fields, lead: 'By a key' }, version }
    expect((await test.call('PUT', '/api/texts/terms', { ...keyed, payload })).statusCode).toBe(200)
    const { body } = await call('GET', '/texts/terms/versions')
    expect(body.versions[0].by).toEqual({ id: expect.stringMatching(/^key:/), name: 'Writer' })
    const reader = (await call('POST', '/keys', { name: 'Reader', scopes: ['read'] })).body.key
    const refused = { headers: { authorization: `Bearer ${reader}` } }
    expect((await test.call('GET', '/api/texts', refused)).statusCode).toBe(403)
  })
})
