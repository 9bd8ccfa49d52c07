import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'

let test: TestApp
const build = makeWebBuild()
beforeAll(async () => {
  test = await buildTestApp({ variables: { SERVE_WEB: 'true' }, distDir: build.distDir })
})
afterAll(async () => {
  await test.close()
  build.remove()
})

const FORM = 'application/x-www-form-urlencoded'
const post = (
  url: string,
  fields: Record<string, string> | string,
  headers: Record<string, string> = {},
  remoteAddress = '198.51.100.1',
) =>
  test.app.inject({
    method: 'POST',
    url,
    remoteAddress,
    headers: { 'content-type': FORM, ...headers },
    payload: new URLSearchParams(fields).toString(),
  })
const contacts = async () => (await test.storage.contacts.list({ page: 1, perPage: 100 })).items
const good = { email: 'sam@example.com', title: 'Hours', message: 'When are you there?\r\nThanks' }

describe.each(['/contact', '/'])('the contact form sent to %s without scripts', (path) => {
  it('stores the message and shows a confirmation in the page', async () => {
    const before = (await contacts()).length
    const answer = await post(path, good)
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    })
    expect(answer.headers.etag).toBeUndefined()
    expect(answer.json().form).toEqual({
      values: {},
      errors: [],
      message: "Thank you. We'll reply by email.",
    })
    const [newest, ...others] = await contacts()
    expect(others).toHaveLength(before)
    expect(newest).toMatchObject({ ...good, message: 'When are you there?\nThanks' })
  })

  it('shows an error beside each field, and preserves the input', async () => {
    const before = (await contacts()).length
    const answer = await post(path, { email: 'sam(at)example', title: ' ', message: 'Text & <b>' })
    expect(answer.statusCode).toBe(422)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.json().form).toEqual({
      values: { email: 'sam(at)example', title: ' ', message: 'Text & <b>' },
      errors: [
        { field: 'email', message: 'Enter a valid email address' },
        { field: 'title', message: 'Title is required' },
      ],
      message: null,
    })
    expect((await contacts()).length).toBe(before)
  })

  it('names all fields when the body is empty', async () => {
    for (const answer of [await post(path, {}), await test.call('POST', path)]) {
      expect(answer.statusCode).toBe(422)
      expect(answer.json().form.errors.map(({ message }: { message: string }) => message)).toEqual([
        'Email is required',
        'Title is required',
        'Message is required',
      ])
    }
  })

  it('leaves the cached page unchanged', async () => {
    const before = await test.call('GET', path)
    await post(path, { ...good, title: '' })
    const after = await test.call('GET', path)
    expect(after.json().form).toBeUndefined()
    expect(after.headers.etag).toBe(before.headers.etag)
  })
})

describe('a form sent without scripts', () => {
  it('is counted like an API call, and shows the limit in the page', async () => {
    const address = '203.0.113.20'
    for (let sent = 0; sent < 20; sent += 1) {
      expect((await post('/contact', good, {}, address)).statusCode).toBe(200)
    }
    const answer = await post('/contact', good, {}, address)
    expect(answer.statusCode).toBe(429)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    const { form } = answer.json()
    expect(form.values).toEqual(good)
    expect(form.errors).toEqual([{ field: '', message: expect.stringContaining('Try again in') }])
    expect((await post('/contact', good, {}, '203.0.113.21')).statusCode).toBe(200)
  })

  it('is refused from a foreign page', async () => {
    const before = (await contacts()).length
    const foreign: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ]
    for (const headers of foreign) {
      expect((await post('/contact', good, headers)).statusCode).toBe(403)
    }
    expect((await contacts()).length).toBe(before)
    expect(
      (await post('/contact', good, { origin: 'http://localhost:3000', host: 'localhost:3000' })).statusCode,
    ).toBe(200)
  })

  it('takes the first of a duplicate field, and only its own fields', async () => {
    const query =
      'email=a%40b.co&email=c%40d.co&title=T&message=M&_id=x&createdAt=1&__proto__=x&constructor=y'
    expect((await post('/contact', query)).statusCode).toBe(200)
    expect((await contacts())[0]).toMatchObject({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      email: 'a@b.co',
      title: 'T',
    })
  })

  it('stores nothing when the honeypot is filled, with the same answer', async () => {
    const before = (await contacts()).length
    const answer = await post('/contact', { ...good, website: 'https://spam.example' })
    const honest = await post('/contact', good)
    expect([answer.statusCode, answer.body]).toEqual([honest.statusCode, honest.body])
    expect((await contacts()).length).toBe(before + 1)
  })

  it('tolerates broken encodings', async () => {
    for (const payload of ['email=%ZZ%', '%00=%00', 'title=%FF%FE', '&&&===', `a=${'%'.repeat(60_000)}`]) {
      const answer = await test.app.inject({
        method: 'POST',
        url: '/contact',
        headers: { 'content-type': FORM },
        payload,
      })
      expect(answer.statusCode).toBe(422)
    }
  })

  it.each([
    ['application/json', JSON.stringify(good), 415],
    ['multipart/form-data; boundary=x', '--x--', 415],
    [FORM, `message=${'x'.repeat(70_000)}`, 413],
  ])('is no %s and not endless', async (type, payload, status) => {
    const answer = await test.app.inject({
      method: 'POST',
      url: '/contact',
      headers: { 'content-type': type },
      payload,
    })
    expect(answer.statusCode).toBe(status)
  })

  it('is accepted at the addresses of pages only', async () => {
    expect((await post('/api/contacts', good)).statusCode).toBe(415)
    expect((await post('/faq', good)).statusCode).toBe(404)
  })
})

describe('the public review form sent without scripts', () => {
  it('is acknowledged and not stored', async () => {
    const answer = await post('/reviews?page=2', { name: 'Sam', star: '4.7', review: 'Calm and clear.' })
    expect(answer.statusCode).toBe(200)
    expect(answer.json().form).toEqual({ values: {}, errors: [], message: 'Review sent successfully' })
    expect((await test.storage.reviews.list({ page: 1, perPage: 1 })).count).toBe(0)
  })

  it('names the missing fields, and preserves the input', async () => {
    const answer = await post('/reviews', { name: '', star: '', review: '' })
    expect(answer.statusCode).toBe(422)
    expect(answer.json().form.errors).toEqual([
      { field: 'name', message: 'Name is required' },
      { field: 'star', message: 'Required' },
      { field: 'review', message: 'Required' },
    ])
    for (const star of ['0', '5.1', 'many', 'NaN', '1e9']) {
      const wrong = await post('/reviews', { name: 'Sam', star, review: 'Fine' })
      expect(wrong.json().form).toMatchObject({ values: { star }, errors: [{ field: 'star' }] })
    }
  })
})

describe('the public review form sent without scripts while reviews are moderated', () => {
  it('stores the review as pending', async () => {
    const { distDir, remove } = makeWebBuild()
    const moderated = await buildTestApp({
      variables: { SERVE_WEB: 'true', PUBLIC_REVIEWS: 'moderated' },
      distDir,
    })
    const send = (fields: Record<string, string>) =>
      moderated.app.inject({
        method: 'POST',
        url: '/reviews',
        headers: { 'content-type': FORM },
        payload: new URLSearchParams(fields).toString(),
      })
    const review = { name: 'Sam', star: '4.7', review: 'Calm and clear.' }
    const sent = 'Review sent successfully. It will appear after approval.'
    expect((await send(review)).json().form.message).toBe(sent)
    expect((await send({ ...review, website: 'spam' })).json().form.message).toBe(sent)
    expect((await send({ ...review, star: '5.01' })).statusCode).toBe(422)
    const { items } = await moderated.storage.reviews.pending({ page: 1, perPage: 15 })
    expect(items).toMatchObject([{ ...review, star: 4.7 }])
    expect((await moderated.storage.reviews.list({ page: 1, perPage: 15 })).count).toBe(0)
    await moderated.close()
    remove()
  })
})
