import type { PageText, ShownTexts } from '@proctorpass/shared/page-text'
import type { Suggestions } from '@proctorpass/shared/schemas/suggestion'
import type { Text } from '@proctorpass/shared/schemas/text'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let headers: { authorization: string }
beforeEach(async () => {
  test = await buildTestApp()
  headers = (await test.signIn()).bearer
})
afterEach(() => test.close())

const get = (path: string) => test.call('GET', `/api${path}`)
const shown = async <Key extends keyof ShownTexts>(path: string) =>
  (await get(path)).json<PageText<ShownTexts[Key]>>()

async function change(key: string, fields: Record<string, unknown>, lang = 'en') {
  const { fields: before, version } = (await get(`/texts/${key}?lang=${lang}`)).json<Text>()
  const payload = { fields: { ...before, ...fields }, version }
  const answer = await test.call('PUT', `/api/texts/${key}?lang=${lang}`, { headers, payload })
  expect(answer.statusCode, answer.body).toBe(200)
}

describe('GET /texts/:key/page', () => {
  it('answers the text as its page shows it, at once after a change', async () => {
    const path = '/texts/article%3Ahow-to-cheat-on-proctoru/page'
    const before = await shown<'article'>(path)
    expect(before.text.updated).toBe('2026-11-19T00:00:00.000Z')
    await change('article:how-to-cheat-on-proctoru', {
      h1: 'By {brand}',
      content: '<h2>One &amp; two</h2><p>Words</p><table><tbody><tr><td>a</td></tr></tbody></table>',
    })
    const { text } = await shown<'article'>(path)
    expect(text).toMatchObject({
      ...{ h1: 'By ProctorPass', published: before.text.published },
      headings: [{ id: 'one-two', text: 'One & two' }],
      html: expect.stringContaining(
        '<div class="table" role="region" aria-label="Table" tabindex="0"><table>',
      ),
    })
    expect(Date.parse(text.updated)).toBeGreaterThan(Date.parse(before.text.updated))
    expect((await shown<'blogs'>('/texts/blogs/page')).text.guides.map(({ heading }) => heading)).toContain(
      'By ProctorPass',
    )
  })

  it('has an ETag, and the language of its address', async () => {
    await change('terms', { heading: '条款' }, 'zh')
    expect(await shown<'terms'>('/texts/terms/page?lang=zh')).toMatchObject({
      ...{ lang: 'zh', languages: [{ tag: 'en' }, { tag: 'zh' }] },
      text: { heading: '条款' },
    })
    for (const query of ['', '?lang=xx', '?lang=en']) {
      expect(await shown<'terms'>(`/texts/terms/page${query}`)).toMatchObject({ lang: 'en' })
    }
    const { etag } = (await get('/texts/terms/page')).headers
    const again = await test.call('GET', '/api/texts/terms/page', {
      headers: { 'if-none-match': String(etag) },
    })
    expect(again.statusCode).toBe(304)
  })

  it('knows no page of a question, nor of anything else', async () => {
    for (const key of ['faq%3Ahow-do-refunds-work', 'article%3Ax', 'toString', '%00']) {
      expect((await get(`/texts/${key}/page`)).statusCode, key).toBe(404)
    }
  })
})

it('suggests what was written, and in the language that was asked for', async () => {
  const faq = (await get('/faq')).json<{ items: { _id: string; version: number }[] }>()
  const [first] = faq.items
  const patch = (payload: object, lang: string) =>
    test.call('PATCH', `/api/faq/${first?._id}?lang=${lang}`, { headers, payload })
  await patch({ question: 'How do giraffes order?', version: 0 }, 'en')
  await patch({ question: '如何提前预订？', answer: '<p>三天</p>', version: 0 }, 'zh')
  const pages = async (lang: string) => (await get(`/suggestions?lang=${lang}`)).json<Suggestions>().pages
  const [english] = await pages('en')
  expect(english).toMatchObject({ path: `/faq#${first?._id}`, title: 'How do giraffes order?' })
  const [chinese, next] = await pages('zh')
  expect(chinese).toMatchObject({ path: `/faq?lang=zh#${first?._id}`, title: '如何提前预订？' })
  expect(next?.path).toMatch(/^\/faq#/)
  const counted = await test.call('POST', '/api/suggestions/opened', {
    headers: { 'sec-fetch-site': 'same-origin' },
    payload: { path: chinese?.path },
  })
  expect(counted.statusCode, counted.body).toBe(204)
  const stored = await test.storage.suggestions.list('2000', '2999', { offset: 0, limit: 9 })
  expect(stored.map(({ _id }) => _id.split(' ')[0])).toEqual([`/faq#${first?._id}`])
})
