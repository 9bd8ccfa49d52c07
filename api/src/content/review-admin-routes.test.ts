import type { Review } from '@proctorpass/shared/schemas/review'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

const NOVEMBER = Date.UTC(2026, 10, 21)

let test: TestApp
let off: TestApp
let bearer: { authorization: string }
beforeAll(async () => {
  test = await buildTestApp({ variables: { PUBLIC_REVIEWS: 'moderated' }, now: () => NOVEMBER })
  off = await buildTestApp()
  bearer = (await test.signIn()).bearer
})
afterAll(async () => {
  await test.close()
  await off.close()
})

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
const send = (method: Method, path: string, payload?: unknown) =>
  test.call(method, `/api${path}`, {
    headers: bearer,
    ...(payload === undefined ? {} : { payload: payload as object }),
  })
const good = { name: 'Sam', time: 'March 2026', star: 4.5, review: 'Calm.' }
const added = async (review: object = good) => (await send('POST', '/reviews', review)).json().data as Review
const listed = async () => (await send('GET', '/reviews?perPage=100')).json().reviews as Review[]
const pending = async () => (await send('GET', '/reviews/pending?perPage=100')).json().reviews as Review[]

beforeEach(async () => {
  for (const { _id } of [...(await listed()), ...(await pending())]) await send('DELETE', `/reviews/${_id}`)
})

describe('POST /reviews', () => {
  it('answers once the review is stored', async () => {
    const answer = await send('POST', '/reviews', { ...good, name: ' Sam ', review: 'One\r\nTwo ' })
    const data = { ...good, _id: expect.stringMatching(/^[0-9a-f]{24}$/), review: 'One\nTwo' }
    expect([answer.statusCode, answer.json()]).toEqual([201, { message: 'Review published', data }])
    expect(await listed()).toEqual([answer.json().data])
  })

  it('has a detail for each missing field', async () => {
    expect((await send('POST', '/reviews', {})).json().details).toEqual([
      { field: 'name', message: 'Name is required' },
      { field: 'time', message: 'Time is required' },
      { field: 'star', message: 'Required' },
      { field: 'review', message: 'Required' },
    ])
  })

  it.each<[string, unknown]>([
    ['star', 0.5],
    ['star', 5.5],
    ['star', -1],
    ['star', 5.01],
    ['star', 1e9],
    ['star', '5'],
    ['star', null],
    ['star', [5]],
    ['star', { $gt: 0 }],
    ['name', { $ne: null }],
    ['name', ['Sam']],
    ['name', 'x'.repeat(81)],
    ['name', 'Two\nlines'],
    ['time', 'x'.repeat(81)],
    ['time', 7],
    ['review', 'x'.repeat(2_001)],
    ['review', 'NUL\0'],
    ['review', { $where: 'sleep(3000)||1' }],
  ])('refuses the %s %j, and stores nothing', async (field, value) => {
    const answer = await send('POST', '/reviews', { ...good, [field]: value })
    expect([answer.statusCode, answer.json().details]).toEqual([
      400,
      [{ field, message: expect.any(String) }],
    ])
    expect(await listed()).toEqual([])
  })

  it.each([1, 2.3, 3.5, 4.7, 5])('accepts %s stars', async (star) => {
    expect(await added({ ...good, star })).toMatchObject({ star })
  })

  it('ignores unknown fields', async () => {
    const data = await added({ ...good, _id: '0'.repeat(24), createdAt: 1, demo: 1 })
    expect(data._id).not.toMatch(/^0+$/)
  })
})

describe('PATCH /reviews/{id}', () => {
  it('changes any subset; the text is called newReview', async () => {
    const review = await added()
    const answer = await send('PATCH', `/reviews/${review._id}`, { newReview: 'Better.' })
    const data = { ...review, review: 'Better.' }
    expect([answer.statusCode, answer.json()]).toEqual([200, { message: 'Review saved', data }])
    const all = { name: 'Zoë', time: 'May 2026', star: 2.3, newReview: 'Other.' }
    expect((await send('PATCH', `/reviews/${review._id}`, all)).json().data).toEqual({
      _id: review._id,
      name: 'Zoë',
      time: 'May 2026',
      star: 2.3,
      review: 'Other.',
    })
  })

  it.each([{ name: '' }, { time: ' ' }, { star: 6 }, { newReview: '' }, { newReview: 'x'.repeat(2_001) }])(
    'refuses %j with a detail for its field',
    async (change) => {
      const review = await added()
      const answer = await send('PATCH', `/reviews/${review._id}`, change)
      expect([answer.statusCode, answer.json().details[0].field]).toEqual([400, Object.keys(change)[0]])
      expect(await listed()).toEqual([review])
    },
  )
})

it.each(['f'.repeat(24), '1', '%00', '{"$ne":""}', '__proto__'])(
  'answers 404 for the review id %s',
  async (id) => {
    for (const [method, path] of [
      ['PATCH', `/reviews/${encodeURI(id)}`],
      ['DELETE', `/reviews/${encodeURI(id)}`],
      ['POST', `/reviews/${encodeURI(id)}/approve`],
    ] as const) {
      const answer = await send(method, path, method === 'PATCH' ? { star: 1 } : undefined)
      expect([answer.statusCode, answer.json().message]).toEqual([404, 'Review not found.'])
    }
  },
)

it('DELETE /reviews/{id} is final', async () => {
  const { _id } = await added()
  expect((await send('DELETE', `/reviews/${_id}`)).json()).toEqual({ message: 'Review deleted' })
  expect(await listed()).toEqual([])
  expect((await send('DELETE', `/reviews/${_id}`)).statusCode).toBe(404)
})

describe('POST /reviews/submit', () => {
  let addresses = 0
  const submit = (payload: object, remoteAddress = `198.51.100.${++addresses}`) =>
    test.app.inject({ method: 'POST', url: '/api/reviews/submit', payload, remoteAddress })
  const { time: _, ...submitted } = good
  const SENT = 'Review sent successfully. It will appear after approval.'

  it('stores a pending review, dated by the server, and does not show it', async () => {
    const answer = await submit({ ...submitted, time: 'Never', _id: 'x', approved: true })
    expect([answer.statusCode, answer.json()]).toEqual([201, { message: SENT }])
    const [review] = await pending()
    expect(review).toEqual({ _id: expect.any(String), ...good, time: 'November 2026' })
    expect(await listed()).toEqual([])
    for (const [method, path] of [
      ['GET', `/reviews/one/${review?._id}`],
      ['PATCH', `/reviews/${review?._id}`],
    ] as const) {
      const payload = method === 'PATCH' ? { star: 5 } : undefined
      expect((await send(method, path, payload)).statusCode).toBe(404)
    }
  })

  it('is published by its approval, once', async () => {
    await submit(submitted)
    const [review] = await pending()
    const answer = await send('POST', `/reviews/${review?._id}/approve`)
    expect(answer.json()).toEqual({ message: 'Review published', data: review })
    expect([await listed(), await pending()]).toEqual([[review], []])
    expect((await send('POST', `/reviews/${review?._id}/approve`)).statusCode).toBe(404)
    expect((await send('GET', '/reviews/pending')).json()).toEqual({
      reviews: [],
      count: 0,
      message: 'No reviews to approve',
    })
  })

  it('can be removed while it is pending', async () => {
    await submit(submitted)
    const [review] = await pending()
    expect((await send('DELETE', `/reviews/${review?._id}`)).statusCode).toBe(200)
    expect(await pending()).toEqual([])
  })

  it('has a detail for each missing field', async () => {
    expect((await submit({})).json().details).toEqual([
      { field: 'name', message: 'Name is required' },
      { field: 'star', message: 'Required' },
      { field: 'review', message: 'Required' },
    ])
  })

  it.each([{ star: '5' }, { star: 5.01 }, { name: { $ne: '' } }, { review: ['x'] }, { website: ['x'] }])(
    'refuses %j',
    async (part) => {
      expect((await submit({ ...submitted, ...part })).statusCode).toBe(400)
      expect(await pending()).toEqual([])
    },
  )

  it('answers a filled honeypot like any review, and stores nothing', async () => {
    const answer = await submit({ ...submitted, website: 'https://spam.example' })
    expect([answer.statusCode, answer.json()]).toEqual([201, { message: SENT }])
    expect(await pending()).toEqual([])
  })

  it('accepts ten from one address in ten minutes', async () => {
    for (let sent = 0; sent < 10; sent += 1) await submit(submitted, '203.0.113.9')
    expect((await submit(submitted, '203.0.113.9')).statusCode).toBe(429)
    expect((await pending()).length).toBe(10)
  })

  it('answers 404 while reviews are off', async () => {
    for (const payload of [submitted, {}, { star: 'x' }]) {
      const answer = await off.call('POST', '/api/reviews/submit', { payload })
      expect([answer.statusCode, answer.json().code]).toEqual([404, 'not-found'])
    }
  })
})

describe('DELETE /demo', () => {
  it('removes only the samples', async () => {
    const mine = await added()
    await test.storage.samples.seed(
      {
        blogs: [
          {
            ...{ slug: 'sample', title: 'T', summary: 'S', content: '<p>C</p>', createdAt: 1 },
            ...{ img: '/i.svg', imgAlt: 'A door' },
          },
        ],
        reviews: [{ ...good, name: 'Sample', createdAt: 1 }],
      },
      { onlyWhenEmpty: false },
    )
    expect((await listed()).length).toBe(2)
    const answer = await send('DELETE', '/demo')
    expect(answer.json()).toEqual({ message: 'Samples removed: 1 post and 1 review' })
    expect(await listed()).toEqual([mine])
    expect((await send('DELETE', '/demo')).json()).toEqual({ message: 'There are no samples left.' })
  })
})
