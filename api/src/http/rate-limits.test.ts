import { MESSAGE_MAX, PAGE_BYTES_MAX } from '@proctorpass/shared/limits'
import type { ConversationSummary, Message, Page } from '@proctorpass/shared/schemas/chat'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'

const ADDRESS = '203.0.113.7'
/** Points of one address per minute. */
const ALLOWANCE = 12_000
const LONG = '😀'.repeat(MESSAGE_MAX)

let test: TestApp
beforeEach(async () => {
  test = await buildTestApp()
})
afterEach(() => test.close())

async function conversation(message: string, count: number): Promise<string> {
  const clientId = newClientId()
  await Promise.all(
    Array.from({ length: count }, (_, index) =>
      test.storage.messages.append({
        clientId,
        senderId: clientId,
        message,
        nonce: `nonce-${index}-xxxx`,
        at: Date.now(),
      }),
    ),
  )
  return clientId
}

const get = (url: string, headers: Record<string, string> = {}) =>
  test.call('GET', `/api${url}`, { headers, remoteAddress: ADDRESS })

/** The points of a call, including its own. */
async function costOf(call: () => Promise<unknown>): Promise<number> {
  const left = async () => (await test.app.useCases.limits.take('address', ADDRESS))?.remaining ?? Number.NaN
  const before = await left()
  await call()
  return before - (await left()) - 1
}

describe('the cost of an answer', () => {
  it('is one point when short, and more by its bytes', async () => {
    const [short, long] = [await conversation('hello', 1), await conversation(LONG, 20)]
    expect(await costOf(() => get(`/chat/${short}`))).toBe(1)
    expect(await costOf(() => get(`/chat/${short}?after=1`))).toBe(1)
    expect(await costOf(() => get(`/chat/${newClientId()}`))).toBe(1)
    let bytes = 0
    const cost = await costOf(async () => {
      bytes = Buffer.byteLength((await get(`/chat/${long}`)).body)
    })
    expect(bytes).toBeGreaterThan(0.9 * PAGE_BYTES_MAX)
    // 100 MB a minute are more than an address may read.
    expect((ALLOWANCE / cost) * bytes).toBeLessThan(100_000_000)
    const { bearer } = await test.signIn()
    expect(await costOf(() => get(`/chat/admin/${long}?after=0`, bearer))).toBe(cost)
  })

  it('allows forty people who poll in three tabs each, and an admin', async () => {
    const talk = await conversation('An ordinary question of an ordinary length, as people write them.', 50)
    const { bearer } = await test.signIn()
    await Promise.all(Array.from({ length: 100 }, () => conversation('hello there, I have a question', 1)))
    const poll = await costOf(() => get(`/chat/${talk}?after=50`))
    const opening = await costOf(() => get(`/chat/${talk}`))
    const list = await costOf(() => get('/chat', bearer))
    const people = 40 * 3 * (60 * poll + opening)
    // The dashboard reads its list every second while it polls, and opens a conversation every two.
    const admin = 60 * (list + poll) + 30 * opening
    expect(people + admin).toBeLessThan(0.8 * ALLOWANCE)
  })

  it('may cross the limit: the next request is refused for the time in the headers', async () => {
    const long = await conversation(LONG, 20)
    await test.app.useCases.limits.charge('address', ADDRESS, ALLOWANCE - 10)
    const page = await get(`/chat/${long}`)
    expect(page.statusCode).toBe(200)
    expect(page.json<Page>()).toMatchObject({ more: true })
    const refused = await get(`/chat/${long}`)
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toMatchObject({ code: 'rate-limited', retryable: true })
    expect(refused.json().retryAfterMs).toBeGreaterThan(1_000)
    expect((await test.call('GET', `/api/chat/${long}`)).statusCode).toBe(200)
  })

  it('is in the header of its own answer', async () => {
    await conversation(LONG, 1)
    await Promise.all(Array.from({ length: 40 }, () => conversation(LONG, 1)))
    const { bearer } = await test.signIn()
    const { headers } = await get('/chat', bearer)
    const left = Number(/^"address";r=(\d+);/.exec(String(headers.ratelimit))?.[1])
    expect(left).toBeLessThan(ALLOWANCE - 1)
    expect((await test.app.useCases.limits.take('address', ADDRESS))?.remaining).toBe(left - 1)
  })
})

describe('the cost of a page', () => {
  let build: ReturnType<typeof makeWebBuild>
  beforeEach(async () => {
    build = makeWebBuild()
    await test.close()
    test = await buildTestApp({ variables: { SERVE_WEB: 'true' }, distDir: build.distDir })
  })
  afterEach(() => build.remove())

  const visit = (url: string) => test.call('GET', url, { remoteAddress: ADDRESS })
  const post = (url: string, payload: string) =>
    test.call('POST', url, {
      remoteAddress: ADDRESS,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    })
  /** At most ten renders a second. */
  const RENDER = 20

  it('is higher for the first request, which renders it', async () => {
    expect(await costOf(() => visit('/faq'))).toBeGreaterThanOrEqual(RENDER)
    expect(await costOf(() => visit('/faq?x=1'))).toBe(1)
    expect(await costOf(() => visit('/blogs?page=998'))).toBeGreaterThanOrEqual(RENDER)
    expect(await costOf(() => visit('/blogs?page=999'))).toBeGreaterThanOrEqual(RENDER)
  })

  it('is one point for an address without a route, once the 404 page is cached', async () => {
    await visit('/unknown/0')
    for (const path of ['/unknown/1', '/unknown/2?x=1']) {
      let answer: Awaited<ReturnType<typeof visit>> | undefined
      const visitUnknown = async () => {
        answer = await visit(path)
      }
      expect(await costOf(visitUnknown)).toBe(1)
      expect(answer?.statusCode).toBe(404)
    }
  })

  it('is that of a read of the store for a post that does not exist, once its 404 page is cached', async () => {
    expect(await costOf(() => visit('/blog/no-such-post'))).toBeGreaterThanOrEqual(RENDER)
    expect(await costOf(() => visit('/blog/no-such-post'))).toBe(5)
    expect(await costOf(() => visit('/blog/nor-this'))).toBe(5)
  })

  it.each(['/', '/contact', '/reviews'])('is that of a render for a form posted to %s', async (path) => {
    let status = 0
    const send = async () => {
      status = (await post(path, 'email=x')).statusCode
    }
    expect(await costOf(send)).toBeGreaterThanOrEqual(RENDER)
    expect(status).toBeGreaterThanOrEqual(400)
  })

  it('is higher for a list from the store than for a cached one', async () => {
    const read = (query: string) => costOf(() => get(`/blogs${query}`))
    expect(await read('?page=999')).toBe(5)
    expect(await read('?page=999')).toBe(5)
    expect(await read('?perPage=99')).toBe(5)
  })

  it('is in the header of its own answer, and is refused with the next request', async () => {
    const { headers } = await visit('/faq')
    const left = Number(/^"address";r=(\d+);/.exec(String(headers.ratelimit))?.[1])
    expect(left).toBe(ALLOWANCE - 1 - RENDER)
    await test.app.useCases.limits.charge('address', ADDRESS, ALLOWANCE - RENDER)
    expect((await visit('/contact')).statusCode).toBe(429)
    await test.app.useCases.limits.charge('address', '203.0.113.8', ALLOWANCE - 1)
    // Its own request is let in; what its page reads of the API is not.
    expect((await test.call('GET', '/blogs', { remoteAddress: '203.0.113.8' })).statusCode).toBe(429)
    expect((await post('/contact', 'email=x')).statusCode).toBe(429)
  })
})

describe('readers of long conversations', () => {
  it('get every message by following more, also the admin whose plain GET marks what it returned', async () => {
    const clientId = await conversation(LONG, 40)
    const { bearer } = await test.signIn()
    const newest = (await get(`/chat/admin/${clientId}`, bearer)).json<Page>()
    expect(newest).toMatchObject({ more: true, seq: 40, read: { admin: 40 } })
    expect(newest.messages.at(-1)?.seq).toBe(40)

    const messages: Message[] = []
    for (let more = true; more; ) {
      const page: Page = (await get(`/chat/${clientId}?after=${messages.at(-1)?.seq ?? 0}`)).json()
      messages.push(...page.messages)
      more = page.more
    }
    expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1))
  })

  it('get a list of short texts that says where it was cut', async () => {
    const [short, long] = [await conversation('hello', 1), await conversation(LONG, 1)]
    const { bearer } = await test.signIn()
    const list = (await get('/chat', bearer)).json<ConversationSummary[]>()
    const last = (clientId: string) => list.find((each) => each.clientId === clientId)?.lastMessage
    expect(last(short)).not.toHaveProperty('cut')
    expect(last(long)).toMatchObject({ cut: true, message: `${'😀'.repeat(280)}…` })
  })
})
