import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { describeWithOwnRedis } from '../../test/redis-server.ts'
import { startRedis } from '../../test/servers/redis-process.ts'
import { makeWebBuild } from '../../test/web-build.ts'
import { VERSION } from '../installation.ts'

const TOKEN = 'a-token-of-enough-letters'
const scraping = { authorization: `Bearer ${TOKEN}` }

let test: TestApp
let url: string
const clients: Socket[] = []

async function start(variables: Record<string, string> = { METRICS_TOKEN: TOKEN }, distDir?: string) {
  test = await buildTestApp({ variables, ...(distDir === undefined ? {} : { distDir }) })
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(test.app.server.address() as AddressInfo).port}`
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect()
  await test.close()
})

async function connect(namespace: string, auth: object): Promise<Socket> {
  const client = io(url + namespace, { transports: ['websocket'], forceNew: true, reconnection: false, auth })
  clients.push(client)
  await new Promise((resolve, reject) => {
    client.once('connect', () => resolve(null))
    client.once('connect_error', reject)
  })
  return client
}

async function scrape(): Promise<string> {
  const answer = await fetch(`${url}/metrics`, { headers: scraping })
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  return answer.text()
}

/** The value of a sample, 0 if there is none. The order of the labels does not matter. */
function sampleOf(text: string, name: string, labels: Record<string, string> = {}): number {
  for (const line of text.split('\n')) {
    const [, found, within = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (found !== `proctorpass_${name}`) continue
    const given = Object.fromEntries(
      [...within.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, content]) => [label, content]),
    )
    if (Object.entries(labels).every(([label, content]) => given[label] === content)) return Number(value)
  }
  return 0
}

/** Resolves once the sample has this value. */
const becomes = (value: number, name: string, labels?: Record<string, string>) =>
  vi.waitFor(async () => expect(sampleOf(await scrape(), name, labels), name).toBe(value))

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe('/metrics', () => {
  it('does not exist without METRICS_TOKEN', async () => {
    await start({})
    const answer = await fetch(`${url}/metrics`, { headers: scraping })
    const unknown = await fetch(`${url}/nothing-of-this-name`)
    const { requestId: one, ...error } = (await answer.json()) as Record<string, unknown>
    const { requestId: other, ...unknownError } = (await unknown.json()) as Record<string, unknown>
    expect([answer.status, error]).toEqual([unknown.status, unknownError])
    expect(one).not.toBe(other)
  })

  it('requires the exact token', async () => {
    await start()
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      TOKEN,
      `Basic ${TOKEN}`,
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(0, -1)}`,
      `Bearer ${(await test.signIn()).accessToken}`,
    ]) {
      const answer = await fetch(`${url}/metrics`, {
        headers: authorization === undefined ? {} : { authorization },
      })
      expect([answer.status, answer.headers.get('www-authenticate')], authorization).toEqual([401, 'Bearer'])
      expect(await answer.json()).toMatchObject({ code: 'unauthorized' })
    }
    expect(await scrape()).toContain('nodejs_eventloop_lag_p99_seconds')
  })

  it('answers the right token from an address over its limit, and counts wrong tokens', async () => {
    await start()
    await Promise.all(
      Array.from({ length: 12_000 }, () => test.app.useCases.limits.take('address', '127.0.0.1')),
    )
    expect((await fetch(`${url}/api/config`)).status).toBe(429)
    expect((await fetch(`${url}/metrics`)).status).toBe(429)
    expect(sampleOf(await scrape(), 'rate_limited_total', { limit: 'address' })).toBe(2)
  })

  it('answers during a shutdown', async () => {
    await start()
    test.app.accepting = false
    expect((await fetch(`${url}/api/config`)).status).toBe(503)
    await scrape()
  })
})

describe('metrics', () => {
  beforeEach(() => start())

  it('count messages by transport and side', async () => {
    const clientId = newClientId()
    const visitor = await connect('/visitor', { clientId })
    const { accessToken } = await test.signIn()
    const admin = await connect('/admin', { token: accessToken })
    const send = { nonce: 'nonce-0000001', message: 'hello' }
    expect(await visitor.emitWithAck('message:send', send)).toMatchObject({ ok: true })
    expect(await visitor.emitWithAck('message:send', send)).toMatchObject({ ok: true })
    await admin.emitWithAck('message:send', { clientId, nonce: 'nonce-0000002', message: 'hi' })
    const posted = { clientId, nonce: 'nonce-0000003', message: 'and this' }
    expect((await post('/api/chat', posted)).status).toBe(201)
    expect((await post('/api/chat', posted)).status).toBe(200)

    await becomes(1, 'messages_stored_total', { transport: 'socket', side: 'visitor' })
    await becomes(1, 'messages_stored_total', { transport: 'socket', side: 'admin' })
    await becomes(1, 'messages_stored_total', { transport: 'http', side: 'visitor' })
    await becomes(1, 'messages_repeated_total', { transport: 'socket', side: 'visitor' })
    await becomes(1, 'messages_repeated_total', { transport: 'http', side: 'visitor' })
    await becomes(3, 'message_ack_seconds_count', { transport: 'socket' })
    await becomes(2, 'message_ack_seconds_bucket', { transport: 'http', le: '+Inf' })
    // To the admin the messages of the visitor, to the visitor's socket the reply and the message posted by REST.
    await becomes(2, 'messages_delivered_total', { audience: 'admin' })
    await becomes(2, 'messages_delivered_total', { audience: 'visitor' })
    await becomes(1, 'sockets', { audience: 'visitor' })
    await becomes(1, 'sockets', { audience: 'admin' })
    visitor.disconnect()
    await becomes(0, 'sockets', { audience: 'visitor' })
  })

  it('count notes, changes and conversations', async () => {
    const clientId = newClientId()
    await post('/api/chat', { clientId, message: 'hello' })
    const { accessToken } = await test.signIn()
    const admin = await connect('/admin', { token: accessToken })
    await admin.emitWithAck('message:send', { clientId, nonce: 'nonce-0000001', message: 'hi' })
    await becomes(1, 'activity_total', { kind: 'assignee' })
    await becomes(1, 'conversations', { status: 'open' })
    await becomes(0, 'conversations', { status: 'unassigned' })
  })

  it('count polls and syncs', async () => {
    const clientId = newClientId()
    const visitor = await connect('/visitor', { clientId })
    await visitor.emitWithAck('conversation:sync', { after: 0 })
    await visitor.emitWithAck('conversation:sync', {})
    await fetch(`${url}/api/chat/${clientId}?after=0`)
    const { bearer } = await test.signIn()
    await fetch(`${url}/api/chat/unread/count`, { headers: bearer })
    await fetch(`${url}/api/chat`, { headers: bearer })
    await becomes(1, 'catch_ups_total', { side: 'visitor' })
    for (const read of ['conversation', 'unread', 'list']) await becomes(1, 'polls_total', { read })
  })

  it('count calls of the store by outcome', async () => {
    const visitor = await connect('/visitor', { clientId: newClientId() })
    await visitor.emitWithAck('message:send', { nonce: 'nonce-0000001', message: 'hello' })
    await becomes(1, 'store_operation_seconds_count', { operation: 'messages.append', outcome: 'ok' })
    await becomes(1, 'store_up')
    expect((await fetch(`${url}/uploads/${'0'.repeat(40)}.png`)).status).toBe(404)
    await becomes(1, 'store_operation_seconds_count', { operation: 'uploads.open', outcome: 'ok' })
    await test.storage.close()
    expect((await fetch(`${url}/api/chat/${newClientId()}`)).status).toBeGreaterThanOrEqual(500)
    await becomes(1, 'store_operation_seconds_count', { operation: 'messages.page', outcome: 'failed' })
    await becomes(0, 'store_up')
  })

  it('count refusals by reason', async () => {
    const clientId = newClientId()
    await post('/api/chat', { clientId, message: '  ' })
    await fetch(`${url}/api/chat`)
    await expect(connect('/admin', { token: 'none' })).rejects.toThrow()
    const visitor = await connect('/visitor', { clientId })
    await visitor.emitWithAck('message:send', { nonce: 'nonce-0000001', message: '' })
    await becomes(1, 'refusals_total', { via: 'http', reason: 'invalid-input' })
    await becomes(1, 'refusals_total', { via: 'http', reason: 'unauthorized' })
    await becomes(1, 'refusals_total', { via: 'socket', reason: 'unauthorized' })
    await becomes(1, 'refusals_total', { via: 'socket', reason: 'invalid-input' })
  })

  it('count requests by route pattern and status class', async () => {
    await fetch(`${url}/api/chat/${newClientId()}`)
    await fetch(`${url}/api/chat/short`)
    await fetch(`${url}/healthz`)
    const route = '/api/chat/:clientId'
    await becomes(1, 'http_request_seconds_count', { method: 'GET', route, status: '2xx' })
    await becomes(1, 'http_request_seconds_count', { method: 'GET', route, status: '4xx' })
    await becomes(1, 'http_request_seconds_count', { route: '/healthz', status: '2xx' })
  })

  it('tell the version', () => becomes(1, 'build_info', { version: VERSION }))

  it('count list reads as cache hits or misses', async () => {
    await fetch(`${url}/api/reviews`)
    // An empty list is not cached.
    await becomes(1, 'cached_reads_total', { kind: 'list', outcome: 'miss' })
    await test.storage.reviews.create({ name: 'A', time: 'May', star: 5, review: 'Good', createdAt: 1 })
    for (let i = 0; i < 3; i += 1) await fetch(`${url}/api/reviews`)
    await becomes(2, 'cached_reads_total', { kind: 'list', outcome: 'miss' })
    await becomes(2, 'cached_reads_total', { kind: 'list', outcome: 'hit' })
    const review = { name: 'B', star: 4, time: 'May 2026', review: 'Good too' }
    const { bearer } = await test.signIn()
    expect((await post('/api/reviews', review, bearer)).status).toBe(201)
    await becomes(1, 'content_drops_total')
  })

  it('contain nothing from input', async () => {
    const clientId = newClientId()
    const marks = ['PathMark', 'QueryMark', 'TextMark', 'NonceMark', 'AgentMark', 'CommandMark', clientId]
    const headers = { 'user-agent': 'AgentMark', 'x-forwarded-for': '203.0.113.77' }
    await fetch(`${url}/PathMark?QueryMark=1`, { headers })
    await fetch(`${url}/api/blogs/one/PathMark`, { headers })
    await fetch(`${url}/api/chat/${clientId}?after=0`, { headers })
    await fetch(`${url}/PathMark`, { method: 'PROPFIND', headers })
    await post('/api/chat', { clientId, message: 'TextMark', nonce: 'NonceMark1' })
    await post('/api/auth', { userName: 'TextMark', password: 'TextMark' })
    const visitor = await connect('/visitor', { clientId })
    await visitor.emitWithAck('message:send', { nonce: 'NonceMark2', message: 'TextMark' })
    await visitor.emitWithAck('CommandMark', { message: 'TextMark' })
    await becomes(1, 'http_request_seconds_count', { method: 'other', route: 'none', status: '4xx' })
    const text = await scrape()
    for (const mark of [...marks, '203.0.113.77', '127.0.0.1']) expect(text).not.toContain(mark)
  })
})

it('metrics count page reads as cache hits or misses', async () => {
  const { distDir, remove } = makeWebBuild()
  try {
    await start({ METRICS_TOKEN: TOKEN, SERVE_WEB: 'true' }, distDir)
    for (let i = 0; i < 3; i += 1) await fetch(`${url}/faq`)
    await becomes(1, 'cached_reads_total', { kind: 'page', outcome: 'miss' })
    await becomes(2, 'cached_reads_total', { kind: 'page', outcome: 'hit' })
  } finally {
    remove()
  }
})

describeWithOwnRedis('Redis', () => {
  it('counts as up while it answers, and every metric that alerts and documents name exists', async () => {
    const redis = await startRedis()
    try {
      await start({ METRICS_TOKEN: TOKEN, REDIS_URL: redis.url })
      await becomes(1, 'redis_up')
      const shown = await scrape()
      for (const file of ['deploy/alerts.yaml', 'docs/OPERATIONS.md']) {
        const names = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8').match(
          /proctorpass_\w+/g,
        )
        expect(names?.length).toBeGreaterThan(5)
        for (const name of new Set(names)) {
          expect(shown, `${name} of ${file}`).toContain(`# TYPE ${name.replace(/_(bucket|count|sum)$/, '')} `)
        }
      }
      await redis.stop()
      await becomes(0, 'redis_up')
    } finally {
      await redis.close()
    }
  })
})
