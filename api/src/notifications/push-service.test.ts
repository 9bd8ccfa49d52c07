import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { idOfDevice, type PushService, startPushService } from '../../test/push-service.ts'
import type { AllowedHost } from '../outbound/hosts.ts'
import { createPost } from '../outbound/post.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { createSendPush } from './push-service.ts'
import { createAuthorizations, createVapidKeys } from './vapid.ts'

const trusted = getCACertificates('default')
const storage = openSqlite(':memory:')
const PAYLOAD = { title: 'Green Heron', body: '你好 😀', tag: 'x'.repeat(20), url: '/', id: 'a' }
const lines: object[] = []
let service: PushService

beforeAll(async () => {
  service = await startPushService()
  setDefaultCACertificates([...trusted, service.cert])
})
beforeEach(() => {
  lines.length = 0
})
afterEach(() => expect(service.problems).toEqual([]))
afterAll(async () => {
  setDefaultCACertificates(trusted)
  await service.close()
  await storage.close()
})

const port = () => Number(service.host.split(':')[1])
const own = (): AllowedHost => ({ name: 'localhost', port: port(), own: true })

const sendTo = (hosts: AllowedHost[], answerWithinMs = 60_000) =>
  createSendPush({
    hosts,
    authorization: createAuthorizations({
      keys: createVapidKeys(storage.documents),
      subject: 'https://chat.example.com',
      now: Date.now,
    }),
    post: createPost({ now: Date.now, answerWithinMs }),
    log: { warn: (context) => void lines.push(context) },
  })

function push(hosts: AllowedHost[], changed: object = {}, answerWithinMs?: number) {
  return pushBy(sendTo(hosts, answerWithinMs), changed)
}

function pushBy(send: ReturnType<typeof sendTo>, changed: object = {}) {
  const device = service.device('phone')
  const { endpoint, keys } = device.subscription
  const ids = { _id: idOfDevice(device), userId: 'a', sessionId: 'b', label: 'Phone' }
  const subscription = { ...ids, endpoint, ...keys, previews: true, createdAt: 0, retryAt: 0 }
  return send({ ...subscription, ...changed }, PAYLOAD)
}

it('is read by the browser, and signed for its service', async () => {
  expect(await push([own()])).toEqual({ outcome: 'sent' })
  expect(service.received.at(-1)).toMatchObject({
    payload: PAYLOAD,
    claims: { aud: `https://${service.host}`, sub: 'https://chat.example.com' },
    key: (await createVapidKeys(storage.documents)()).publicKey,
  })
})

it('reaches no private address under a name that the operator did not choose', async () => {
  const before = service.connections()
  expect(await push([{ ...own(), own: false }])).toEqual({ outcome: 'refused' })
  expect(service.connections()).toBe(before)
  expect(String((lines[0] as { err: Error }).err)).toContain('a private address')
})

it('is not sent to a host that is no longer allowed', async () => {
  const before = service.connections()
  expect(await push([])).toEqual({ outcome: 'refused' })
  expect(service.connections()).toBe(before)
})

it('shares a signature with others', async () => {
  const send = sendTo([own()])
  const received = service.received.length
  const answers = await Promise.all(Array.from({ length: 5 }, () => pushBy(send)))
  expect(answers).toEqual(Array(5).fill({ outcome: 'sent' }))
  const pushes = service.received.slice(received)
  expect(new Set(pushes.map(({ headers }) => headers.authorization)).size).toBe(1)
})

it('is refused for keys that no browser has', async () => {
  expect(await push([own()], { p256dh: `BA${'A'.repeat(85)}` })).toEqual({ outcome: 'refused' })
})

it.each([
  [{ 'retry-after': '30' }, 30_000],
  [{ 'retry-after': 'soon' }, 60_000],
  [{}, 60_000],
])('waits as long as a busy service says: %j', async (headers, afterMs) => {
  service.behave((_request, response) => response.writeHead(429, headers).end())
  expect(await push([own()])).toEqual({ outcome: 'later', afterMs })
  const date = new Date(Date.now() + 90_000).toUTCString()
  service.behave((_request, response) => response.writeHead(503, { 'retry-after': date }).end())
  const answer = await push([own()])
  expect((answer as { afterMs: number }).afterMs).toBeGreaterThan(60_000)
  service.behave(null)
})

it('is sent later when the service says nothing in time', async () => {
  service.behave(() => {})
  expect(await push([own()], {}, 200)).toEqual({ outcome: 'later', afterMs: null })
  service.behave(null)
})

it('counts as sent when the answer never ends', async () => {
  service.behave((_request, response) => {
    response.writeHead(201)
    response.write('x')
  })
  expect(await push([own()])).toEqual({ outcome: 'sent' })
  service.behave(null)
}, 15_000)
