import { aliasOf } from '@proctorpass/shared/alias'
import type { SearchPage } from '@proctorpass/shared/schemas/search'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'

/** The same in each test: its alias is found too where it begins as a test's query, as "Camel" does with "cam". */
const VISITOR = 'c'.repeat(20)
let test: TestApp
let bearer: { authorization: string }

beforeEach(async () => {
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off' } })
  bearer = (await test.signIn()).bearer
})
afterEach(() => test.close())

async function say(message: string): Promise<string> {
  const answer = await test.call('POST', '/api/chat', { payload: { clientId: VISITOR, message } })
  expect(answer.statusCode).toBe(201)
  return VISITOR
}

async function search(q: string, options: Record<string, string> = {}): Promise<SearchPage> {
  const query = new URLSearchParams({ q, ...options })
  const answer = await test.call('GET', `/api/search?${query}`, { headers: bearer })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}

const textsOf = ({ hits }: SearchPage) => hits.map(({ snippet }) => snippet.map(({ text }) => text).join(''))
const marksOf = ({ hits }: SearchPage) =>
  hits.map(({ snippet }) => snippet.filter(({ match }) => match).map(({ text }) => text))

/** How often the event loop went around meanwhile. */
async function turnsDuring(action: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let waiting = setImmediate(function turn() {
    turns += 1
    waiting = setImmediate(turn)
  })
  await action()
  clearImmediate(waiting)
  return turns
}

describe('GET /search', () => {
  it('lets other requests through while it reads long texts', async () => {
    for (let n = 0; n < 20; n++) await say(`${'word '.repeat(799)}${n}`)
    await search('other')
    // Three times each: on MongoDB, waiting for the server adds some turns or hundreds.
    const turnsOf = async (q: string) => {
      const turns: number[] = []
      for (let n = 0; n < 3; n++) turns.push(await turnsDuring(() => search(q)))
      return turns
    }
    const [turns, turnsWithoutTexts] = [await turnsOf('word'), await turnsOf('other')]
    expect(Math.max(...turns) - Math.min(...turnsWithoutTexts)).toBeGreaterThan(5)
  })

  it('finds a message right after it was sent', async () => {
    const clientId = await say('My Caméra is black')
    const page = await search('camera')
    expect(page.next).toBeNull()
    expect(page.hits).toEqual([
      {
        type: 'message',
        clientId,
        seq: 1,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
        snippet: [
          { text: 'My ', match: false },
          { text: 'Caméra', match: true },
          { text: ' is black', match: false },
        ],
      },
    ])
  })

  it("shows an admin's words without their formatting, and a visitor's as they were typed", async () => {
    const message = 'Close **all _cameras_**, see [the guide](https://example.com/lens)'
    const clientId = await say(message)
    const answer = await test.call('POST', '/api/chat', { headers: bearer, payload: { clientId, message } })
    expect(answer.statusCode).toBe(201)
    const shown = 'Close all cameras, see the guide'
    expect(textsOf(await search('close'))).toEqual([shown, message])
    expect(marksOf(await search('"all cameras"'))).toEqual([['all cameras'], ['all _cameras']])
    // Only the text as it was typed has the link's address.
    expect(textsOf(await search('lens'))).toEqual([message, message])
  })

  it('finds what is in spam only if its status is named', async () => {
    const clientId = await say('cheap cameras')
    const change = (payload: object) =>
      test.call('PATCH', `/api/chat/admin/${clientId}`, { headers: bearer, payload })
    const contact = { email: 'sam@example.com', title: 'A camera', message: 'My camera is black' }
    await test.call('POST', '/api/contacts', { payload: contact })
    const types = async (options = {}) => (await search('camera', options)).hits.map(({ type }) => type)
    expect(await types({ status: 'open' })).toEqual(['message'])
    await change({ status: 'spam' })
    expect(await types()).toEqual(['contact'])
    expect(await types({ status: 'spam' })).toEqual(['message'])
    expect(await types({ status: 'open,snoozed,resolved' })).toEqual([])
    await change({ spam: false })
    expect((await types()).sort()).toEqual(['contact', 'message'])
    const wrong = await test.call('GET', '/api/search?q=camera&status=gone', { headers: bearer })
    expect([wrong.statusCode, wrong.json().details[0].field]).toEqual([400, 'status'])
  })

  it.each([
    ['a word in any case', 'CAMERA', ['Camera']],
    ['a word with other accents', 'cámera', ['Camera']],
    ['the beginning of the last word', 'cam', ['Camera']],
    ['every word in any order', 'black camera', ['Camera', 'black']],
    ['a phrase', '"camera is black"', ['Camera is black']],
    ['words of which one is in a phrase', 'exam "is black"', ['is black', 'exam']],
    ['a word beside a quote without its partner', '"camera', ['Camera']],
    ['a word with operators around it', '(camera* OR', null],
    ['a word that begins another one, but is not the last', 'cam black', null],
    ['a phrase whose last word is unfinished', '"camera is bla"', null],
    ['a phrase in another order', '"black camera"', null],
    ['a word that does not occur', 'camera microphone', null],
    ['only signs', '!!! ???', null],
    ['a word of signs beside one that occurs', 'camera !!!', null],
    ['only spaces', '   ', null],
    ['an empty phrase', '""', null],
  ])('looks for %s', async (_what, q, marked) => {
    await say('Camera is black, exam at nine')
    expect(marksOf(await search(q))).toEqual(marked === null ? [] : [marked])
  })

  it.each([
    ['two characters', '像头', ['像头']],
    ['one character', '坏', ['坏']],
    ['the last character of a text', '了', ['了']],
    ['four characters', '摄像头坏', ['摄像头坏']],
    ['a Chinese and an English word', '考试 iphone', ['iPhone', '考试']],
    ['both in one word', 'iphone手机', ['iPhone手机']],
    ['characters that do not stand together', '摄头', null],
    ['a phrase', '"摄像头坏了"', ['摄像头坏了']],
  ])('looks for %s in Chinese', async (_what, q, marked) => {
    await say('我的iPhone手机：考试前摄像头坏了')
    expect(marksOf(await search(q))).toEqual(marked === null ? [] : [marked])
  })

  it('finds Japanese in any width', async () => {
    await say('ウェブカメラのガイドが開かない')
    expect(marksOf(await search('ｶﾒﾗ'))).toEqual([['カメラ']])
    expect(marksOf(await search('ガイ'))).toEqual([['ガイ']])
    expect((await search('カイ')).hits).toEqual([])
  })

  it('finds contact messages by address, title and words', async () => {
    const payload = { email: 'zoe@example.org', title: 'Reschedule', message: 'May I come later?' }
    await test.call('POST', '/api/contacts', { payload })
    for (const q of ['zoe', 'example.org', 'reschedule later', '"come later"']) {
      const { hits } = await search(q)
      expect(hits, q).toMatchObject([{ type: 'contact', contactId: expect.stringMatching(/^[0-9a-f]{24}$/) }])
      expect(hits[0]).not.toHaveProperty('clientId')
    }
  })

  it('finds notes of admins', async () => {
    const clientId = await say('hello')
    const payload = { nonce: 'nonce-of-a-note', text: 'Passport expired, asks for a refund' }
    const answer = await test.call('POST', `/api/chat/admin/${clientId}/notes`, { payload, headers: bearer })
    expect(answer.statusCode).toBe(201)
    expect(await search('refund')).toMatchObject({ hits: [{ type: 'note', clientId, n: 1 }] })
    await test.call('DELETE', `/api/chat/${clientId}`, { headers: bearer })
    expect((await search('refund')).hits).toEqual([])
  })

  it('finds visitors by what they say they are called, until they say otherwise', async () => {
    const clientId = await say('hello')
    const tell = (payload: object) => test.call('PATCH', `/api/chat/${clientId}/profile`, { payload })
    expect((await tell({ name: 'Zoë Müller', email: 'zoe@example.org' })).statusCode).toBe(200)
    expect((await search('muller zoe')).hits).toMatchObject([
      { type: 'visitor', clientId, name: 'Zoë Müller' },
    ])
    expect((await search('hello')).hits).toMatchObject([{ type: 'message', name: 'Zoë Müller' }])
    await tell({ name: 'Noor' })
    expect((await search('muller')).hits).toEqual([])
    expect((await search('noor')).hits).toHaveLength(1)
    await tell({ name: null, email: null })
    expect((await search('noor')).hits).toEqual([])
    expect((await search('example')).hits).toEqual([])
  })

  it('finds visitors by their alias, also once they said what they are called', async () => {
    const clientId = await say('hello')
    const alias = aliasOf(clientId)
    expect((await search(alias)).hits).toMatchObject([{ type: 'visitor', clientId }])
    expect((await search(alias.toLowerCase().slice(0, -2))).hits).toHaveLength(1)
    await test.call('PATCH', `/api/chat/${clientId}/profile`, { payload: { name: 'Noor' } })
    expect((await search(alias)).hits).toMatchObject([{ type: 'visitor', clientId, name: 'Noor' }])
    await test.call('DELETE', `/api/chat/${clientId}`, { headers: bearer })
    expect((await search(alias)).hits).toEqual([])
  })

  it('answers the newest first, page by page', async () => {
    for (const number of [1, 2, 3, 4, 5]) await say(`refund ${number}`)
    const first = await search('refund', { limit: '2' })
    expect(textsOf(first)).toEqual(['refund 5', 'refund 4'])
    const second = await search('refund', { limit: '2', cursor: first.next ?? '' })
    expect(textsOf(second)).toEqual(['refund 3', 'refund 2'])
    const third = await search('refund', { limit: '2', cursor: second.next ?? '' })
    expect(textsOf(third)).toEqual(['refund 1'])
    expect(third.next).toBeNull()
  })

  it('finds nothing of an erased conversation, at once and in its new history', async () => {
    const clientId = await say('my passport number is 12345')
    expect((await search('passport')).hits).toHaveLength(1)
    await test.call('DELETE', `/api/chat/${clientId}`, { headers: bearer })
    expect((await search('passport')).hits).toEqual([])
    await say('something else')
    expect((await search('passport')).hits).toEqual([])
    expect((await search('something')).hits).toHaveLength(1)
  })

  it('finds nothing beyond 200 characters, and takes exactly so many', async () => {
    const letters = Array.from({ length: 100 }, (_, index) => String.fromCharCode(97 + (index % 26)))
    await say(letters.join(' '))
    expect((await search(letters.join(' '))).hits).toHaveLength(1)
    const answer = await test.call('GET', `/api/search?q=${'a'.repeat(201)}`, { headers: bearer })
    expect(answer.json()).toMatchObject({ code: 'invalid-input', details: [{ field: 'q' }] })
  })

  it.each(['q=', 'q=a&limit=0', 'q=a&limit=51', 'q=a&cursor=%00', 'q=a&cursor=eyJhIjoxfQ', ''])(
    'refuses %s',
    async (query) => {
      const answer = await test.call('GET', `/api/search?${query}`, { headers: bearer })
      expect(answer.statusCode).toBe(400)
    },
  )

  it('is only for admins', async () => {
    expect((await test.call('GET', '/api/search?q=a')).statusCode).toBe(401)
  })

  it.each([
    'a"b"c"',
    '"',
    '""""',
    'NEAR(a b)',
    'terms:a',
    '-a',
    '^a',
    'a*',
    "a'; DROP TABLE messages; --",
    '{"$gt":""}',
    '$where',
    '\0',
    'a\0b',
    '\ud800',
    '\u202ea',
    'ﷺ'.repeat(200),
    '\u0301'.repeat(200),
    '\u0e33'.repeat(200),
    '摄 '.repeat(100),
    '👩‍👩‍👧‍👦',
    '%',
    '_',
  ])('takes %j as text', async (q) => {
    await say('a b c')
    const page = await search(q)
    expect(page.hits.filter(({ type }) => type === 'message').length).toBeLessThanOrEqual(1)
  })
})
