import type { Faq, Question } from '@proctorpass/shared/schemas/faq'
import type { TextSummary } from '@proctorpass/shared/schemas/text'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { shippedSample } from '../../test/shipped-sample.ts'
import type { StoredList } from './question-list.ts'

let test: TestApp
let headers: { authorization: string }
beforeAll(async () => {
  test = await buildTestApp({ shippedTexts: shippedSample() })
  headers = (await test.signIn()).bearer
})
afterAll(() => test.close())

const SHIPPED = ['how-far-ahead', 'which-exams', 'refunds']
const call = async (method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) => {
  const answer = await test.call(method, `/api${path}`, { headers, ...(payload && { payload }) })
  return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
}
const read = async (query = ''): Promise<Faq> => (await test.call('GET', `/api/faq${query}`)).json()
const ids = async () => (await read()).items.map(({ _id }) => _id)
const find = async (id: string, query = '') =>
  (await read(query)).items.find(({ _id }) => _id === id) as Question
const details = (body: { details?: { field: string }[] }) => body.details?.map(({ field }) => field)
const add = async (question: string, group = 'booking', answer = '<p>Yes.</p>') =>
  call('POST', '/faq', { question, answer, group })
const order = async (list: [string, string][], version?: number) =>
  call('PUT', '/faq/order', {
    items: list.map(([_id, group]) => ({ _id, group })),
    version: version ?? (await read()).version,
  })

describe('the FAQ', () => {
  beforeEach(async () => {
    await call('DELETE', '/faq/order')
    for (const { _id } of (await read()).items) {
      if (!SHIPPED.includes(_id)) await call('DELETE', `/faq/${_id}`)
    }
    for (const key of ['faq', ...SHIPPED.map((id) => `faq:${id}`)]) {
      for (const lang of ['en', 'zh']) {
        const { version } = (await call('GET', `/texts/${key}?lang=${lang}`)).body
        await call('DELETE', `/texts/${key}?lang=${lang}&version=${version}`)
      }
    }
  })

  it('ships with its questions, in order', async () => {
    const { items, groups } = await read()
    expect(groups).toEqual([
      { id: 'booking', title: 'Booking' },
      { id: 'payment', title: 'Payment' },
    ])
    expect(items.map(({ _id, group, order, state, lang }) => [_id, group, order, state, lang])).toEqual([
      ['how-far-ahead', 'booking', 0, 'shipped', 'en'],
      ['which-exams', 'booking', 1, 'shipped', 'en'],
      ['refunds', 'payment', 2, 'shipped', 'en'],
    ])
    expect(items[0]).toMatchObject({
      question: 'First release: how-far-ahead?',
      answer: '<p>First release</p>',
    })
  })

  it('takes questions as the last ones of their group, each with an anchor of its own', async () => {
    const { version } = await read()
    const added = await add(' What’s  the\nprice? ', 'booking', '<p onclick="x">$5</p>')
    expect(added.status).toBe(201)
    expect(added.body).toEqual({ message: 'Question added', data: await find('whats-the-price') })
    expect(added.body.data).toEqual({
      ...{ _id: 'whats-the-price', group: 'booking', question: 'What’s the price?', answer: '<p>$5</p>' },
      ...{ lang: 'en', order: 2, state: 'own', version: 1 },
    })
    expect((await read()).version).toBe(version + 1)
    expect((await add('What’s the price?')).body.data._id).toBe('whats-the-price-2')
    expect((await add('Booking')).body.data._id).toBe('booking-2')
    expect((await add('价格是多少？', 'payment')).body.data._id).toMatch(/^q-[a-z]{8}$/)
    expect((await add('2026?')).body.data._id).toMatch(/^q-[a-z]{8}$/)
    expect((await ids()).slice(0, 4)).toEqual([
      ...['how-far-ahead', 'which-exams', 'whats-the-price', 'whats-the-price-2'],
    ])
    const changed = await call('PATCH', '/faq/whats-the-price', { question: 'Cost?', version: 1 })
    expect(changed.body.data).toMatchObject({ _id: 'whats-the-price', question: 'Cost?', version: 2 })
    expect((await call('GET', '/texts/faq:whats-the-price')).body).toMatchObject({
      ...{ state: 'own', shippedChanged: false, version: 2 },
    })
    expect((await call('DELETE', '/texts/faq:whats-the-price?version=2')).status).toBe(400)
    expect((await call('GET', '/texts/faq:whats-the-price/versions/0')).status).toBe(404)
  })

  it('names each wrong field of a question', async () => {
    const wrong = await add('', 'other', '<p></p>')
    expect([wrong.status, details(wrong.body)]).toEqual([400, ['question', 'group']])
    expect(details((await add('Q', 'booking', '<p></p>')).body)).toEqual(['answer'])
    expect(details((await add('x'.repeat(201))).body)).toEqual(['question'])
    expect(details((await call('POST', '/faq', {})).body)).toEqual(['question', 'answer', 'group'])
    const long = await add('Q', 'booking', `<p>${'x'.repeat(512 * 1_024)}</p>`)
    expect([long.status, details(long.body)]).toEqual([413, ['answer']])
    expect(await ids()).toEqual(SHIPPED)
  })

  it('has answers of 512 KB together', async () => {
    expect((await add('One', 'booking', `<p>${'x'.repeat(400 * 1_024)}</p>`)).status).toBe(201)
    const answer = `<p>${'y'.repeat(112 * 1_024)}</p>`
    const tooLong = await add('Two', 'booking', answer)
    expect([tooLong.status, details(tooLong.body)]).toEqual([413, ['answer']])
    const changed = await call('PATCH', '/faq/refunds', { answer, version: (await find('refunds')).version })
    expect([changed.status, details(changed.body)]).toEqual([413, ['answer']])
    expect((await call('DELETE', '/faq/one')).status).toBe(204)
    expect((await add('Two', 'booking', answer)).status).toBe(201)
  })

  it('changes a shipped question, and translates it', async () => {
    const { version } = await find('refunds')
    const changed = await call('PATCH', '/faq/refunds', { answer: '<p>In 5 days.</p>', version })
    expect(changed).toMatchObject({
      status: 200,
      body: {
        message: 'Question saved',
        data: { state: 'own', version: version + 1, answer: '<p>In 5 days.</p>' },
      },
    })
    expect(changed.body.data.question).toBe('First release: refunds?')
    expect((await call('PATCH', '/faq/refunds', { question: 'x', version })).status).toBe(409)
    expect((await call('PATCH', '/faq/refunds', { version: version + 1 })).status).toBe(400)
    expect((await call('PATCH', '/faq/other', { question: 'x', version: 0 })).status).toBe(404)
    expect(
      details((await call('PATCH', '/faq/refunds', { question: '', version: version + 1 })).body),
    ).toEqual(['question'])

    const half = await call('PATCH', '/faq/refunds?lang=zh', { question: '退款?', version: 0 })
    expect([half.status, details(half.body)]).toEqual([400, ['answer']])
    const both = { question: '退款?', answer: '<p>五天</p>', version: 0 }
    const translated = await call('PATCH', '/faq/refunds?lang=zh', both)
    expect(translated.body.data).toMatchObject({ lang: 'zh', question: '退款?', state: 'own' })
    const items = (await read('?lang=zh')).items.map(({ _id, lang }) => [_id, lang])
    expect(items).toEqual([
      ['how-far-ahead', 'en'],
      ['which-exams', 'en'],
      ['refunds', 'zh'],
    ])
    expect(await find('which-exams', '?lang=zh')).toMatchObject({ version: 0 })
    expect(details((await call('PATCH', '/faq/refunds?lang=de', both)).body)).toEqual(['lang'])
    expect(await find('refunds', '?lang=de')).toEqual(await find('refunds'))
  })

  it('deletes questions, and brings the shipped ones back with the shipped list', async () => {
    const { body } = await add('Mine?', 'payment')
    const _id = body.data._id
    await call('PATCH', `/faq/${_id}?lang=zh`, { question: '我', answer: '<p>我</p>', version: 0 })
    expect((await call('DELETE', `/faq/${_id}`)).status).toBe(204)
    expect((await call('DELETE', `/faq/${_id}`)).status).toBe(404)
    expect((await call('GET', `/texts/faq:${_id}`)).status).toBe(404)
    expect((await call('GET', `/texts/faq:${_id}/versions`)).status).toBe(404)
    const again = (await add('Mine?', 'payment', '<p>New</p>')).body.data
    expect(again).toMatchObject({ _id, version: 1 })
    expect((await call('GET', `/texts/faq:${_id}?lang=zh`)).body).toMatchObject({ lang: 'en', version: 0 })
    expect((await call('GET', `/texts/faq:${_id}/versions`)).body.versions).toHaveLength(1)

    const { version } = await find('refunds')
    await call('PATCH', '/faq/refunds', { answer: '<p>Own</p>', version })
    expect((await call('DELETE', '/faq/refunds')).status).toBe(204)
    expect((await call('GET', '/texts/faq:refunds')).status).toBe(404)
    expect(await ids()).toEqual(['how-far-ahead', 'which-exams', _id])
    const reset = await call('DELETE', '/faq/order')
    expect(reset.status).toBe(200)
    expect(reset.body.items.map((item: Question) => item._id)).toEqual([...SHIPPED, _id])
    expect(await find('refunds')).toMatchObject({ answer: '<p>Own</p>', version: version + 1 })
    const { entries } = (await call('GET', '/audit?action=question.deleted')).body
    expect(entries[0]).toMatchObject({ target: 'refunds', details: { question: 'First release: refunds?' } })
    expect((await call('GET', '/audit?action=faq-order.reset')).body.entries).not.toEqual([])
  })

  it('restores a deleted question with its place, words, and history', async () => {
    const _id = (await add('Mine?', 'booking')).body.data._id
    const zh = { question: '我', answer: '<p>我</p>', version: 0 }
    await call('PATCH', `/faq/${_id}?lang=zh`, zh)
    await call('PATCH', `/faq/${_id}`, { answer: '<p>Second</p>', version: 1 })
    const [before, beforeZh] = [await read(), await read('?lang=zh')]
    const { versions } = (await call('GET', `/texts/faq:${_id}/versions`)).body
    expect((await call('POST', `/faq/${_id}/restore`)).status).toBe(404)

    await call('DELETE', `/faq/${_id}`)
    expect(await ids()).toEqual(SHIPPED)
    expect((await call('GET', '/texts')).body.texts.map(({ key }: TextSummary) => key)).not.toContain(
      `faq:${_id}`,
    )
    const restored = await call('POST', `/faq/${_id}/restore`)
    expect(restored.status).toBe(200)
    expect(restored.body.data).toEqual(before.items.find((item) => item._id === _id))
    expect((await read()).items).toEqual(before.items)
    expect((await read('?lang=zh')).items).toEqual(beforeZh.items)
    expect((await call('GET', `/texts/faq:${_id}/versions`)).body.versions).toEqual(versions)
    expect((await call('POST', `/faq/${_id}/restore`)).status).toBe(404)
    const { entries } = (await call('GET', '/audit?action=question.restored')).body
    expect(entries[0]).toMatchObject({ target: _id, details: { question: 'Mine?' } })

    // A shipped question too, after which the list follows releases as before.
    await call('DELETE', `/faq/${SHIPPED[0]}`)
    await call('DELETE', `/faq/${_id}`)
    await call('POST', `/faq/${SHIPPED[0]}/restore`)
    await call('POST', `/faq/${_id}/restore`)
    expect((await read()).items).toEqual(before.items)
    const document = await test.storage.documents.read<StoredList>('faq')
    expect(document?.value.items).toBeNull()

    // An admin may have ordered the list in the meantime.
    await call('DELETE', `/faq/${SHIPPED[1]}`)
    const now = (await read()).items
    await order(now.toReversed().map(({ _id, group }) => [_id, group]))
    await call('POST', `/faq/${SHIPPED[1]}/restore`)
    const places = await ids()
    expect(places.indexOf(SHIPPED[1] ?? '')).toBe(places.indexOf(SHIPPED[0] ?? '') + 1)
  })

  it('forgets a deleted question after an hour, or for a new one with its anchor', async () => {
    const _id = (await add('Mine?')).body.data._id
    await call('DELETE', `/faq/${_id}`)
    const document = await test.storage.documents.read<StoredList>('faq')
    const deleted = document?.value.deleted?.map((each) => ({ ...each, at: each.at - 3_600_000 })) ?? []
    await test.storage.documents.write('faq', { ...document?.value, deleted }, document?.version ?? 0)
    expect((await call('POST', `/faq/${_id}/restore`)).status).toBe(404)
    expect(await test.storage.texts.find('en', `faq:${_id}`)).not.toBeNull()
    // The next deletion does it, like the timer.
    const other = (await add('Other?')).body.data._id
    await call('DELETE', `/faq/${other}`)
    expect(await test.storage.texts.find('en', `faq:${_id}`)).toBeNull()
    expect((await call('POST', `/faq/${other}/restore`)).status).toBe(200)
    await call('DELETE', `/faq/${other}`)
    expect((await add('Other?')).body.data).toMatchObject({ _id: other, version: 1 })
    expect((await call('POST', `/faq/${other}/restore`)).status).toBe(404)
  })

  it('is ordered, with each question once', async () => {
    const mine = (await add('Mine?', 'payment')).body.data._id
    const { version } = await read()
    const wanted: [string, string][] = [
      ['refunds', 'booking'],
      [mine, 'booking'],
      ['which-exams', 'payment'],
      ['how-far-ahead', 'booking'],
    ]
    for (const wrong of [
      wanted.slice(1),
      [...wanted, ['refunds', 'booking']],
      [...wanted.slice(1), ['which-exams', 'payment']],
      [...wanted.slice(1), ['other', 'payment']],
    ] as [string, string][][]) {
      const refused = await order(wrong)
      expect([refused.status, details(refused.body)]).toEqual([400, ['items']])
    }
    const noGroup = await order([['refunds', 'other'], ...wanted.slice(1)])
    expect([noGroup.status, details(noGroup.body)]).toEqual([400, ['items/0/group']])
    expect((await order(wanted, version + 1)).status).toBe(409)
    const ordered = await order(wanted, version)
    expect(ordered.body).toEqual(await read())
    expect(ordered.body.version).toBe(version + 1)
    expect(ordered.body.items.map(({ _id, group }: Question) => [_id, group])).toEqual(wanted)
    expect((await order(wanted, version)).status).toBe(409)
    expect((await order(wanted)).body.version).toBe(version + 1)
    expect((await add('Later?')).body.data.order).toBe(4)
    const reset = (await call('DELETE', '/faq/order')).body as Faq
    expect(reset.items.map(({ _id, group }) => [_id, group])).toEqual([
      ['how-far-ahead', 'booking'],
      ['which-exams', 'booking'],
      [mine, 'booking'],
      ['later', 'booking'],
      ['refunds', 'payment'],
    ])
  })

  it('has groups, none of which is left out while it has questions', async () => {
    const put = async (groups: object[], query = '') => {
      const { fields, version } = (await call('GET', `/texts/faq${query}`)).body
      return call('PUT', `/texts/faq${query}`, { fields: { ...fields, groups }, version })
    }
    const booking = { id: 'booking', title: 'Book' }
    const payment = { id: 'payment', title: 'Pay' }
    for (const [groups, fields] of [
      [[booking], ['fields/groups']],
      [[], ['fields/groups']],
      [[booking, payment, booking], ['fields/groups/2/id']],
      [[booking, payment, { id: 'refunds', title: 'R' }], ['fields/groups/2/id']],
      [[booking, payment, { id: 'A b', title: 'R' }], ['fields/groups/2/id']],
      [Array.from({ length: 21 }, (_, n) => ({ id: `g${n}`, title: 'G' })), ['fields/groups']],
    ] as [object[], string[]][]) {
      const refused = await put(groups)
      expect([refused.status, details(refused.body)]).toEqual([400, fields])
    }
    const other = { id: 'other', title: 'Other' }
    expect((await put([other, payment, booking])).status).toBe(200)
    expect((await read()).groups).toEqual([other, payment, booking])
    expect(details((await put([booking, payment, { id: 'new', title: 'N' }], '?lang=zh')).body)).toEqual([
      'fields/groups/2/id',
    ])
    const zh = [
      { id: 'booking', title: '预订' },
      { id: 'payment', title: '付款' },
    ]
    expect((await put(zh, '?lang=zh')).status).toBe(200)
    expect((await read('?lang=zh')).groups).toEqual([other, zh[1], zh[0]])
    expect((await add('In another group?', 'other')).status).toBe(201)
    const { version } = (await call('GET', '/texts/faq')).body
    await call('DELETE', `/texts/faq?version=${version}`)
    // Its group is gone, so it stands in the last one.
    expect((await find('in-another-group')).group).toBe('payment')
  })

  it('has at most 200 questions', { timeout: 60_000 }, async () => {
    for (let n = 4; n <= 200; n += 1) {
      const key = `faq:n-${n}` as const
      const fields = JSON.stringify({ question: `N ${n}`, answer: '<p>N</p>' })
      const text = { _id: `en ${key}`, version: 1, at: 0, by: null, own: true, base: null, fields }
      await test.storage.texts.write(text)
    }
    const list = (await test.storage.documents.read<{ own: object[] }>('faq')) ?? { version: 0, value: {} }
    const own = Array.from({ length: 197 }, (_, n) => ({ _id: `n-${n + 4}`, group: 'booking' }))
    await test.storage.documents.write('faq', { items: null, own }, list.version)
    expect((await read()).items).toHaveLength(200)
    expect((await add('One more?')).status).toBe(409)
    expect((await call('DELETE', '/faq/n-200')).status).toBe(204)
    const both = await Promise.all([add('One more?'), add('And one?')])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    expect((await read()).items).toHaveLength(200)
  })

  it('is changed by admins alone', async () => {
    for (const [method, path] of [
      ['POST', '/faq'],
      ['PUT', '/faq/order'],
      ['DELETE', '/faq/order'],
      ['PATCH', '/faq/refunds'],
      ['DELETE', '/faq/refunds'],
      ['POST', '/faq/refunds/restore'],
    ] as const) {
      expect((await test.call(method, `/api${path}`)).statusCode).toBe(401)
    }
  })
})
