import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { idOfDevice, type PushService, startPushService } from '../../test/push-service.ts'
import type { PushHost } from '../env/push-hosts.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { createSendPush, isPublicAddress } from './push-service.ts'
import { createVapidKeys } from './vapid.ts'

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
const own = (): PushHost => ({ name: 'localhost', port: port(), own: true })

const sendTo = (hosts: PushHost[], answerWithinMs = 60_000) =>
  createSendPush({
    ...{ hosts, subject: 'https://chat.example.com', now: Date.now },
    keys: createVapidKeys(storage.documents),
    log: { warn: (context) => void lines.push(context) },
    answerWithinMs,
  })

function push(hosts: PushHost[], changed: object = {}, answerWithinMs?: number) {
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

it('shares eight connections and a signature with many others', async () => {
  const send = sendTo([own()])
  const [connections, received] = [service.connections(), service.received.length]
  const answers = await Promise.all(Array.from({ length: 40 }, () => pushBy(send)))
  expect(answers).toEqual(Array(40).fill({ outcome: 'sent' }))
  expect(service.connections() - connections).toBeLessThanOrEqual(8)
  const pushes = service.received.slice(received)
  expect(new Set(pushes.map(({ headers }) => headers.authorization)).size).toBe(1)
})

it('is refused for keys that no browser has', async () => {
  expect(await push([own()], { p256dh: `BA${'A'.repeat(85)}` })).toEqual({ outcome: 'refused' })
})

it.each([
  [{ 'retry-after': '30' }, 30_000],
  [{ 'retry-after': '999999' }, 3_600_000],
  [{ 'retry-after': '0' }, 1_000],
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

it.each([
  [
    '127.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
  ],
  [
    '::1',
    '::',
    'fe80::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ],
])('counts as private: %s …', (...addresses) => {
  for (const address of addresses) {
    expect(isPublicAddress({ address, family: address.includes(':') ? 6 : 4 }), address).toBe(false)
  }
})

it.each(['8.8.8.8', '142.250.1.188', '2607:f8b0:4004::5f', '2001:4860:4860::8888'])(
  'counts as public: %s',
  (address) => {
    expect(isPublicAddress({ address, family: address.includes(':') ? 6 : 4 })).toBe(true)
  },
)
