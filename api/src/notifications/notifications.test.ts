import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { aliasOf } from '@proctorpass/shared/alias'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { io, type Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { idOfDevice, type PushService, startPushService, type TestDevice } from '../../test/push-service.ts'
import { temporaryDir } from '../../test/server-process.ts'
import { startSmtpServer, type TestSmtpServer } from '../../test/smtp-server.ts'
import { LOOK_EVERY_MS, type WatchedJobs, watchJobs } from '../../test/watched-jobs.ts'
import { newId } from '../storage/model/ids.ts'
import { OLD_SESSION } from '../storage/model/sessions.ts'
import type { Stores } from '../storage/model/storage.ts'
import type { SubscriptionRecord } from '../storage/model/subscriptions.ts'
import { openStores } from '../storage/open-storage.ts'

let service: PushService
let test: TestApp
let stores: Stores
let dir: ReturnType<typeof temporaryDir>
let settled: WatchedJobs['settled']
/** Tests move the clock of the app by this. */
let ahead = 0
let start = Date.now()
const now = () => start + ahead
const SECOND = 1_000
const MINUTE = 60 * SECOND

const trusted = getCACertificates('default')
beforeAll(async () => {
  service = await startPushService()
  setDefaultCACertificates([...trusted, service.cert])
})
afterAll(async () => {
  setDefaultCACertificates(trusted)
  await service.close()
})
beforeEach(async () => {
  ahead = 0
  start = Date.now()
  service.received.length = 0
  service.problems.length = 0
  service.behave(null)
  dir = temporaryDir('notifications')
  const { storage, ...files } = await openStores({ dataDir: dir.path })
  const watched = watchJobs(storage.jobs)
  settled = watched.settled
  stores = { ...files, storage: { ...storage, jobs: watched.jobs } }
  test = await build()
})
afterEach(async () => {
  await test.close()
  await stores.storage.close()
  dir.remove()
  expect(service.problems).toEqual([])
})

const build = (variables = {}) =>
  buildTestApp({
    ...{ now, lookEveryMs: LOOK_EVERY_MS, stores, dataDir: dir.path },
    variables: { PUSH_HOSTS: service.host, ...variables },
  })

interface Admin {
  userId: string
  sid: string
  devices: TestDevice[]
}

/** An admin with a session, and with these devices. */
async function admin(
  userName: string,
  devices = [userName],
  options: { previews?: boolean } = {},
): Promise<Admin> {
  const { storage } = test
  const user = await storage.users.create({
    ...{ userName, passwordHash: 'none', roles: ['Admin'], createdAt: now() },
  })
  const [userId, sid] = [user?._id ?? '', newId()]
  await storage.sessions.create({
    ...{ _id: sid, userId, currentHash: 'none', previousHash: null, credentialVersion: 0 },
    ...{ ...OLD_SESSION, createdAt: now(), expiresAt: now() + 30 * 24 * 60 * MINUTE },
  })
  const added = { userId, sid, devices: devices.map(service.device) }
  for (const device of added.devices) await subscribe(added, device, options)
  return added
}

async function subscribe(
  { userId, sid }: Admin,
  device: TestDevice,
  changed: Partial<SubscriptionRecord> = {},
): Promise<void> {
  const { endpoint, keys } = device.subscription
  const subscription = { _id: idOfDevice(device), userId, sessionId: sid, endpoint, ...keys }
  const more = { label: device.name, previews: false, createdAt: now(), retryAt: 0 }
  await test.storage.subscriptions.put({ ...subscription, ...more, ...changed }, 20)
}

async function firstAdmin(): Promise<string> {
  return (await test.storage.users.findByName('admin'))?._id ?? ''
}

const send = async (clientId: string, message = 'Can you help me?', nonce?: string, from = {}) => {
  const answer = await test.call('POST', '/api/chat', { payload: { clientId, message, nonce }, ...from })
  expect(answer.statusCode).toBeLessThan(202)
}

const devicesOf = (pushes = service.received) => pushes.map(({ device }) => device).sort()
const pushed = (count: number) =>
  vi.waitFor(() => expect(service.received).toHaveLength(count), { timeout: 8_000 })
const deviceIds = async (...admins: Admin[]) =>
  (await Promise.all(admins.map(({ userId }) => test.storage.subscriptions.listOf(userId)))).flat().length

describe('an unread message', () => {
  it('notifies every admin on duty ten seconds later, on each device once', async () => {
    await admin('zoe', ['zoe’s phone', 'zoe’s laptop'])
    const away = await admin('away')
    await test.storage.users.changeProfile(away.userId, { onDuty: false })
    await admin('sam')
    const clientId = newClientId()
    await send(clientId)
    ahead = 9 * SECOND
    await settled()
    expect(service.received).toEqual([])
    ahead = 10 * SECOND
    await pushed(3)
    expect(devicesOf()).toEqual(['sam', 'zoe’s laptop', 'zoe’s phone'])
    const [first] = service.received
    expect(first?.payload).toEqual({
      ...{ title: aliasOf(clientId), body: 'A visitor is waiting' },
      ...{ tag: clientId, url: `/dashboard/messages/${clientId}`, id: expect.any(String) },
    })
    expect(first?.headers).toMatchObject({ urgency: 'high', 'content-encoding': 'aes128gcm' })
    expect(Number(first?.headers.ttl)).toBeGreaterThan(0)
    expect(first?.headers.topic).toMatch(/^[A-Za-z0-9_-]{32}$/)
    expect(first?.claims.sub).toBe('mailto:support@proctorpass.example')
    ahead = 60 * MINUTE
    await settled()
    expect(service.received).toHaveLength(3)
  })

  it('does not notify once it was read', async () => {
    await admin('sam')
    const clientId = newClientId()
    await send(clientId)
    await test.storage.conversations.markRead(clientId, 'admin', 1)
    ahead = 11 * SECOND
    await settled()
    expect(service.received).toEqual([])
  })

  it('has its words only where previews are on', async () => {
    await admin('sam', ['private'])
    await admin('zoe', ['open'], { previews: true })
    const clientId = newClientId()
    await send(clientId, 'Hello')
    await send(clientId, `My camera is broken. ${'😀'.repeat(3_000)}`)
    await test.storage.visitors.update(clientId, { name: 'Robin' }, { by: null, at: now() })
    ahead = 11 * SECOND
    await pushed(2)
    const [shown, hidden] = ['open', 'private'].map(
      (name) => service.received.find(({ device }) => device === name)?.payload,
    )
    expect(hidden).toMatchObject({ title: aliasOf(clientId), body: 'A visitor is waiting' })
    expect(shown?.title).toBe('Robin')
    expect(shown?.body).toMatch(/^My camera is broken\. 😀+…$/u)
  })

  it('notifies again of a later message, on the same device under the same tag', async () => {
    await admin('zoe', ['zoe'], { previews: true })
    const clientId = newClientId()
    await send(clientId, 'one')
    ahead = 10 * SECOND
    await pushed(1)
    await settled()
    await send(clientId, 'two')
    ahead = 20 * SECOND
    await pushed(2)
    expect(service.bodiesOf('zoe')).toEqual(['one', 'two'])
    expect(new Set(service.received.map(({ payload }) => payload.tag)).size).toBe(1)
    expect(new Set(service.received.map(({ headers }) => headers.topic)).size).toBe(1)
  })

  it('is notified once when its browser sends it twice', async () => {
    await admin('zoe')
    const clientId = newClientId()
    await send(clientId, 'once', 'nonce-of-a-message')
    ahead = 10 * SECOND
    await pushed(1)
    await settled()
    await send(clientId, 'once', 'nonce-of-a-message')
    ahead = 30 * SECOND
    await settled()
    expect(service.received).toHaveLength(1)
  })

  it('does not notify while its conversation is resolved', async () => {
    const { userId } = await admin('zoe')
    const clientId = newClientId()
    await send(clientId)
    await test.storage.inbox.change(clientId, { status: 'resolved' }, { by: userId, at: now() })
    ahead = 20 * SECOND
    await settled()
    expect(service.received).toEqual([])
    await send(clientId, 'one more thing')
    ahead = 31 * SECOND
    await pushed(1)
  })

  it.each([
    [
      'is snoozed',
      (clientId: string, by: string) =>
        test.storage.inbox.change(
          clientId,
          { status: 'snoozed', snoozedUntil: now() + 90 * MINUTE },
          { by, at: now() },
        ),
    ],
    [
      'has a blocked visitor',
      (clientId: string, by: string) =>
        test.storage.inbox.block(clientId, now() + 90 * MINUTE, { by, at: now() }),
    ],
  ])('does not notify while its conversation %s', async (_, happens) => {
    const { userId } = await admin('zoe')
    const clientId = newClientId()
    await send(clientId)
    await happens(clientId, userId)
    for (ahead of [20 * SECOND, 60 * MINUTE]) await settled()
    expect(service.received).toEqual([])
  })

  it('does not notify while an admin has settled it, and a later one does', async () => {
    await admin('zoe', ['zoe'], { previews: true })
    const { bearer } = await test.signIn()
    const settle = async (clientId: string, payload: object) => {
      const answer = await test.call('PATCH', `/api/chat/admin/${clientId}`, { headers: bearer, payload })
      expect(answer.statusCode).toBe(200)
    }
    const clientId = newClientId()
    await send(clientId, 'thank you')
    await settle(clientId, { settled: true })
    for (ahead of [20 * SECOND, 60 * MINUTE]) await settled()
    expect(service.received).toEqual([])
    await send(clientId, 'one more thing')
    ahead += 11 * SECOND
    await pushed(1)
    expect(service.bodiesOf('zoe')).toEqual(['one more thing'])

    const other = newClientId()
    await send(other, 'thanks')
    await settle(other, { settled: true })
    ahead += 20 * SECOND
    await settled()
    await settle(other, { settled: false })
    await pushed(2)
    expect(service.bodiesOf('zoe')).toEqual(['one more thing', 'thanks'])
  })

  it('notifies at once when it is dated ahead, after a clock that was wrong', async () => {
    await admin('zoe')
    const clientId = newClientId()
    const at = now() + 24 * 60 * MINUTE
    const message = { message: 'of a wrong clock', nonce: newId(), at }
    await test.storage.messages.append({ ...message, clientId, senderId: clientId })
    await test.storage.conversations.markRead(clientId, 'admin', 1)
    await send(clientId)
    ahead = 10 * SECOND
    await settled()
    expect(service.received).toHaveLength(1)
  })

  it('notifies in polling mode too', async () => {
    await test.close()
    test = await build({ CHAT_TRANSPORT: 'polling' })
    await admin('zoe')
    await send(newClientId())
    ahead = 10 * SECOND
    await pushed(1)
  })
})

describe('many conversations from one address', () => {
  const tags = () => service.received.map(({ payload }) => payload.tag)
  const summaries = () => service.received.filter(({ payload }) => payload.tag === 'waiting')
  /** Writes a word in each, and waits until it is unread for ten seconds. */
  const writeInEach = async (clientIds: readonly string[]) => {
    service.received.length = 0
    for (const clientId of clientIds) await send(clientId)
    ahead += 10 * SECOND
    await settled()
  }

  it('ring for ten, and once for the rest, at most every ten minutes', async () => {
    await admin('zoe')
    const clientIds = Array.from({ length: 13 }, newClientId)
    await writeInEach(clientIds)
    expect(new Set(tags()).size).toBe(10)
    ahead += 10 * SECOND
    await settled()
    expect(summaries().map(({ payload }) => payload)).toEqual([
      {
        ...{ title: '13 visitors are waiting', body: expect.any(String), tag: 'waiting' },
        ...{ url: '/dashboard/chats?unread=1', id: expect.any(String) },
      },
    ])
    const rung = new Set(tags())
    await writeInEach(clientIds)
    ahead += 10 * SECOND
    await settled()
    expect(new Set(tags())).toEqual(new Set([...rung].filter((tag) => tag !== 'waiting')))
    for (const clientId of clientIds) await test.storage.conversations.markRead(clientId, 'admin', 9)
    await writeInEach(clientIds.filter((clientId) => !rung.has(clientId)))
    expect(tags()).toEqual([])
    ahead += 10 * MINUTE
    await settled()
    expect(summaries().map(({ payload }) => payload.title)).toEqual(['3 visitors are waiting'])
    // All are in the list.
    const { conversations } = await test.storage.conversations.list({ limit: 20, filter: { unread: true } })
    expect(conversations).toHaveLength(3)
  })

  it('leave those from another address alone, and ring again an hour later', async () => {
    await admin('zoe')
    for (let n = 0; n < 11; n += 1) await send(newClientId())
    const other = newClientId()
    await send(other, 'hello', undefined, { remoteAddress: '203.0.113.9' })
    ahead += 10 * SECOND
    await settled()
    expect(tags()).toContain(other)
    expect(tags()).toHaveLength(11)
    ahead += 61 * MINUTE
    const later = newClientId()
    await writeInEach([later])
    expect(tags()).toContain(later)
  })

  it('ring six times each while they are unread', async () => {
    await admin('zoe')
    const clientId = newClientId()
    for (let n = 1; n <= 8; n += 1) {
      await send(clientId)
      ahead += 10 * SECOND
      await settled()
    }
    expect(tags().filter((tag) => tag === clientId)).toHaveLength(6)
    expect(summaries()[0]?.payload.title).toBe('A visitor is waiting')
    await test.storage.conversations.markRead(clientId, 'admin', 8)
    await settled()
    await writeInEach([clientId])
    expect(tags()).toContain(clientId)
  })
})

describe('escalation', () => {
  const assign = (clientId: string, assigneeId: string) =>
    test.storage.inbox.change(clientId, { assigneeId }, { by: assigneeId, at: now() })

  it('notifies the assignee first, and the others on duty after a minute', async () => {
    const zoe = await admin('zoe')
    await admin('sam')
    const clientId = newClientId()
    await send(clientId)
    await assign(clientId, zoe.userId)
    ahead = 11 * SECOND
    await pushed(1)
    expect(devicesOf()).toEqual(['zoe'])
    await settled()
    ahead = 59 * SECOND
    await settled()
    expect(service.received).toHaveLength(1)
    ahead = 61 * SECOND
    await pushed(2)
    expect(devicesOf()).toEqual(['sam', 'zoe'])
    ahead = 5 * MINUTE
    await settled()
    expect(service.received).toHaveLength(2)
  })

  it('ends once the assignee has read the message', async () => {
    const zoe = await admin('zoe')
    await admin('sam')
    const clientId = newClientId()
    await send(clientId)
    await assign(clientId, zoe.userId)
    ahead = 11 * SECOND
    await pushed(1)
    await settled()
    await test.storage.conversations.markRead(clientId, 'admin', 1)
    ahead = 2 * MINUTE
    await settled()
    expect(devicesOf()).toEqual(['zoe'])
    expect(await test.storage.jobs.claim({ now: now() * 2, leaseUntil: 0, limits: { alert: 9 } })).toEqual([])
  })

  it.each([
    ['is off duty', async ({ userId }: Admin) => test.storage.users.changeProfile(userId, { onDuty: false })],
    ['is disabled', async ({ userId }: Admin) => test.storage.users.disable(userId)],
    [
      'has no device',
      async ({ devices }: Admin) =>
        Promise.all(devices.map((d) => test.storage.subscriptions.remove(idOfDevice(d)))),
    ],
    ['has signed out', async ({ sid }: Admin) => test.storage.sessions.end(sid)],
    [
      'has a device that unsubscribed',
      async () =>
        service.behave((_request, response, device) =>
          response.writeHead(device === 'zoe' ? 410 : 201).end(),
        ),
    ],
  ])('notifies everybody on duty at once when the assignee %s', async (_when, happens) => {
    const zoe = await admin('zoe')
    await admin('sam')
    const clientId = newClientId()
    await send(clientId)
    await assign(clientId, zoe.userId)
    await happens(zoe)
    ahead = 11 * SECOND
    await vi.waitFor(() => expect(service.bodiesOf('sam')).toHaveLength(1), { timeout: 8_000 })
  })

  it('takes as long as the settings say', async () => {
    const { userId: by } = await admin('zoe')
    await admin('sam')
    const { bearer } = await test.signIn()
    const payload = { ...DEFAULT_SETTINGS, escalation: { afterSeconds: 300, thenMailMinutes: null } }
    const saved = await test.call('PUT', '/api/settings', { headers: bearer, payload })
    expect(saved.statusCode).toBe(200)
    const clientId = newClientId()
    await send(clientId)
    await assign(clientId, by)
    ahead = 2 * MINUTE
    await pushed(1)
    await settled()
    expect(devicesOf()).toEqual(['zoe'])
    ahead = 302 * SECOND
    await pushed(2)
  })
})

describe('an admin who looks at the conversation', () => {
  async function viewing(clientId: string) {
    const { bearer, accessToken, sid } = await test.signIn()
    const own = { userId: await firstAdmin(), sid, devices: [] }
    await subscribe(own, service.device('admin'))
    await test.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = test.app.server.address() as AddressInfo
    const socket: Socket = io(`http://127.0.0.1:${port}/admin`, {
      ...{ transports: ['websocket'], forceNew: true, reconnection: false, auth: { token: accessToken } },
    })
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve)
      socket.once('connect_error', reject)
    })
    await socket.emitWithAck('viewing:set', { clientId })
    return { socket, bearer }
  }

  it('is not notified, and the others are', async () => {
    await admin('zoe')
    const clientId = newClientId()
    await send(clientId)
    const { socket } = await viewing(clientId)
    ahead = 11 * SECOND
    await settled()
    expect(devicesOf()).toEqual(['zoe'])
    await socket.emitWithAck('viewing:set', { clientId: null })
    ahead = 61 * SECOND
    await settled()
    expect(devicesOf()).toEqual(['admin', 'zoe'])
    socket.close()
  })

  it('is not notified of a mention either', async () => {
    const clientId = newClientId()
    await send(clientId)
    await test.storage.conversations.markRead(clientId, 'admin', 1)
    const { socket } = await viewing(clientId)
    await admin('zoe')
    const sam = await admin('sam')
    const caller = {
      side: 'admin' as const,
      address: '127.0.0.1',
      userId: sam.userId,
      userName: 'sam',
      sid: sam.sid,
    }
    const note = { nonce: 'nonce-of-the-note-1', text: 'Look at this, @admin and @zoe' }
    await test.app.useCases.chat.inbox.addNote(caller, clientId, note)
    await pushed(1)
    await settled()
    expect(devicesOf()).toEqual(['zoe'])
    socket.close()
  })
})

describe('the mail after an unread message', () => {
  let smtp: TestSmtpServer
  beforeEach(async () => {
    smtp = await startSmtpServer()
    await test.close()
    const { version: _, ...value } = DEFAULT_SETTINGS
    const escalation = { afterSeconds: 60, thenMailMinutes: 10 }
    await stores.storage.documents.write('settings', { ...value, escalation }, 0)
    test = await build({ SMTP_URL: smtp.url, MAIL_FROM: 'chat@example.com' })
  })
  afterEach(() => smtp.close())
  const recipients = () => smtp.mails.map(({ to }) => to.toSorted())

  it('goes once to those on duty', async () => {
    const zoe = await admin('zoe')
    await test.storage.users.changeProfile(zoe.userId, { email: 'zoe@example.com' })
    const away = await admin('away')
    await test.storage.users.changeProfile(away.userId, { email: 'away@example.com', onDuty: false })
    const clientId = newClientId()
    await send(clientId)
    ahead = 9 * MINUTE
    await settled()
    expect(smtp.mails).toEqual([])
    ahead = 10 * MINUTE + SECOND
    await settled()
    expect(recipients()).toEqual([['support@proctorpass.example', 'zoe@example.com']])
    expect(smtp.mails[0]?.raw).toContain(clientId)
    ahead = 60 * MINUTE
    await settled()
    expect(smtp.mails).toHaveLength(1)
    expect(devicesOf()).toEqual(['zoe'])
  })

  it('goes for ten conversations of one address, and hourly for the rest', async () => {
    const clientIds = Array.from({ length: 13 }, newClientId)
    const writeInEach = async () => {
      for (const clientId of clientIds) await send(clientId)
      ahead += 10 * MINUTE + SECOND
      await settled()
    }
    const subjects = () => smtp.mails.map(({ headers }) => headers.subject)
    await writeInEach()
    expect(subjects().toSorted()).toEqual([
      '13 visitors are waiting',
      ...Array.from({ length: 10 }, () => 'A visitor is waiting'),
    ])
    smtp.mails.length = 0
    for (let n = 0; n < 3; n += 1) await writeInEach()
    expect(subjects()).toEqual([])
    ahead += 30 * MINUTE
    await settled()
    expect(subjects()).toEqual(['13 visitors are waiting'])
    expect(smtp.mails[0]?.raw).toContain('/dashboard/chats')
  })

  it('is not sent once the message was read', async () => {
    await admin('zoe')
    const clientId = newClientId()
    await send(clientId)
    ahead = 2 * MINUTE
    await settled()
    await test.storage.conversations.markRead(clientId, 'admin', 1)
    ahead = 11 * MINUTE
    await settled()
    expect(smtp.mails).toEqual([])
  })

  it('is not sent later about a message from before it was switched on', async () => {
    const { bearer } = await test.signIn()
    const mailAfter = async (thenMailMinutes: number | null) => {
      const { version } = (await test.call('GET', '/api/settings', { headers: bearer })).json()
      const payload = { ...DEFAULT_SETTINGS, escalation: { afterSeconds: 60, thenMailMinutes }, version }
      const saved = await test.call('PUT', '/api/settings', { headers: bearer, payload })
      expect(saved.statusCode).toBe(200)
    }
    await mailAfter(null)
    await admin('zoe')
    const clientId = newClientId()
    await send(clientId)
    ahead = 30 * MINUTE
    await settled()
    await mailAfter(10)
    ahead = 3 * 60 * MINUTE
    await settled()
    expect(smtp.mails).toEqual([])
    await send(clientId, 'one more')
    ahead += 11 * MINUTE
    await settled()
    expect(smtp.mails).toHaveLength(1)
  })

  it('delays no push while the mail server hangs', async () => {
    await admin('zoe')
    const held = Promise.withResolvers<void>()
    smtp.hold = () => held.promise
    for (let n = 0; n < 12; n += 1) await send(newClientId())
    ahead = 10 * MINUTE
    await vi.waitFor(() => expect(smtp.attempts.length).toBeGreaterThan(2), { timeout: 8_000 })
    service.received.length = 0
    const clientId = newClientId()
    await send(clientId, 'hello', undefined, { remoteAddress: '203.0.113.9' })
    ahead += 10 * SECOND
    await vi.waitFor(() => expect(service.received.map(({ payload }) => payload.tag)).toContain(clientId), {
      timeout: 8_000,
    })
    expect(smtp.mails).toEqual([])
    held.resolve()
  })

  it('is sent again after a failure', async () => {
    smtp.refuse = { code: 451, at: 'data' }
    await admin('zoe')
    await send(newClientId())
    ahead = 10 * MINUTE + SECOND
    await settled()
    expect(smtp.attempts.length).toBeGreaterThan(0)
    smtp.refuse = null
    ahead = 10 * MINUTE + 30 * SECOND
    await settled()
    expect(smtp.mails).toEqual([])
    ahead = 12 * MINUTE
    await settled()
    expect(smtp.mails).toHaveLength(1)
  })
})

describe('a mention', () => {
  const note = async (clientId: string, text: string) => {
    const { bearer } = await test.signIn()
    const nonce = 'nonce-of-the-note-1'
    const url = `/api/chat/admin/${clientId}/notes`
    return test.call('POST', url, { payload: { nonce, text }, headers: bearer })
  }

  it('notifies that admin at once, on duty or not, and once', async () => {
    const zoe = await admin('zoe', ['zoe'], { previews: true })
    await admin('sam')
    await test.storage.users.changeProfile(zoe.userId, { onDuty: false })
    const clientId = newClientId()
    await send(clientId)
    await test.storage.conversations.markRead(clientId, 'admin', 1)
    expect((await note(clientId, 'Can you refund this, @zoe?')).statusCode).toBe(201)
    await pushed(1)
    expect(service.received[0]).toMatchObject({
      device: 'zoe',
      payload: { title: 'You were mentioned in a note', body: 'Can you refund this, @zoe?', tag: clientId },
    })
    await settled()
    expect((await note(clientId, 'Can you refund this, @zoe?')).statusCode).toBe(200)
    await settled()
    expect(service.received).toHaveLength(1)
  })

  it('shows nothing of the note without previews', async () => {
    await admin('zoe')
    const clientId = newClientId()
    await send(clientId)
    await test.storage.conversations.markRead(clientId, 'admin', 1)
    await note(clientId, '@zoe: the secret of this visitor')
    await pushed(1)
    expect(JSON.stringify(service.received[0]?.payload)).not.toContain('secret')
  })
})

describe('a push service', () => {
  const later = async (pushes: number) => {
    await vi.waitFor(
      async () => {
        ahead += 2 * SECOND
        expect(service.received.length).toBeGreaterThanOrEqual(pushes)
      },
      { timeout: 12_000 },
    )
  }

  it.each([404, 410])('removes a device with %d', async (status) => {
    service.behave((_request, response) => response.writeHead(status).end())
    const zoe = await admin('zoe')
    await send(newClientId())
    ahead = 10 * SECOND
    await pushed(1)
    await vi.waitFor(async () => expect(await deviceIds(zoe)).toBe(0))
  })

  it('is left alone for the time that it asks for', async () => {
    service.behave((_request, response) => response.writeHead(429, { 'retry-after': '120' }).end())
    await admin('zoe')
    await send(newClientId())
    ahead = 10 * SECOND
    await pushed(1)
    await settled()
    service.behave(null)
    // Also with another conversation.
    await send(newClientId())
    ahead = 100 * SECOND
    await settled()
    expect(service.received).toHaveLength(1)
    ahead = 135 * SECOND
    await pushed(3)
  })

  it.each([
    [503, {}],
    [429, { 'retry-after': '1' }],
  ])('that answers %d %j again and again is left alone for longer and longer', async (status, headers) => {
    service.behave((_request, response) => response.writeHead(status, headers).end())
    const { userId } = await admin('zoe')
    await send(newClientId())
    ahead = 10 * SECOND
    await settled()
    // Also with other conversations.
    expect((await test.storage.subscriptions.listOf(userId))[0]?.retryAt).toBe(now() + 2 * SECOND)
    for (let n = 0; n < 14; n += 1) {
      ahead += SECOND
      await settled()
    }
    expect(service.received).toHaveLength(4)
  })

  it('is not tried again for an admin who went off duty', async () => {
    service.behave((_request, response) => response.writeHead(503).end())
    const zoe = await admin('zoe')
    await admin('sam')
    await send(newClientId())
    ahead = 10 * SECOND
    await settled()
    expect(devicesOf()).toEqual(['sam', 'zoe'])
    await test.storage.users.changeProfile(zoe.userId, { onDuty: false })
    service.behave(null)
    ahead = 30 * SECOND
    await settled()
    expect(devicesOf()).toEqual(['sam', 'sam', 'zoe'])
  })

  it('gets a push again after a failure, until it takes it', async () => {
    let failures = 2
    service.behave((_request, response) => {
      failures -= 1
      response.writeHead(failures < 0 ? 201 : 503).end()
    })
    await admin('zoe')
    await send(newClientId())
    ahead = 10 * SECOND
    await later(3)
    await settled()
    ahead += MINUTE
    await settled()
    expect(service.received).toHaveLength(3)
  })

  it.each([400, 403, 413])('gets no second push after %d, and the reason is logged', async (status) => {
    service.behave((_request, response) => response.writeHead(status).end('VapidPkHashMismatch'))
    const zoe = await admin('zoe')
    await send(newClientId())
    ahead = 10 * SECOND
    await pushed(1)
    await settled()
    ahead = 30 * MINUTE
    await settled()
    expect(service.received).toHaveLength(1)
    expect(await deviceIds(zoe)).toBe(1)
    const line = test.log.find((entry) => entry.includes('push failed')) ?? ''
    expect(JSON.parse(line)).toMatchObject({ host: 'localhost', status, answer: 'VapidPkHashMismatch' })
    expect(line).not.toContain(zoe.devices[0]?.subscription.endpoint.split('/').at(-1))
  })

  it('cannot redirect a push', async () => {
    let followed = false
    service.behave((_request, response, device) => {
      if (device === 'other') followed = true
      response.writeHead(307, { location: other.subscription.endpoint }).end()
    })
    const other = service.device('other')
    await admin('zoe')
    await send(newClientId())
    ahead = 10 * SECOND
    await pushed(1)
    await settled()
    expect(followed).toBe(false)
    expect(service.received).toHaveLength(1)
  })

  it('holds up no other device when it is silent, and gets the push again', async () => {
    const silent: { destroy(): void }[] = []
    service.behave((_request, response, device) => {
      if (device === 'slow' && silent.length === 0) silent.push(response)
      else response.writeHead(201).end()
    })
    await admin('slow')
    await admin('zoe')
    await send(newClientId())
    ahead = 10 * SECOND
    await pushed(2)
    expect(devicesOf()).toEqual(['slow', 'zoe'])
    silent[0]?.destroy()
    await vi.waitFor(() => expect(test.log.join()).toContain('push failed'), { timeout: 8_000 })
    ahead = 20 * SECOND
    await pushed(3)
    await settled()
    expect(devicesOf()).toEqual(['slow', 'slow', 'zoe'])
  })

  it('cannot fill the memory with an endless answer', { timeout: 40_000 }, async () => {
    service.behave((_request, response) => {
      response.writeHead(400)
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 5)
      response.on('close', () => clearInterval(timer))
    })
    await admin('zoe')
    await send(newClientId())
    ahead = 10 * SECOND
    await vi.waitFor(() => expect(test.log.join()).toContain('push failed'), { timeout: 9_000 })
    const line = test.log.find((entry) => entry.includes('push failed')) ?? ''
    expect(line.length).toBeLessThan(1_500)
  })
})

describe('a device', () => {
  const app = (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object, headers = {}) =>
    test.call(method, `/api${url}`, { headers, ...(payload === undefined ? {} : { payload }) })

  it('is subscribed, listed, tested and unsubscribed', async () => {
    const { bearer } = await test.signIn()
    const key = await app('GET', '/push/key', undefined, bearer)
    expect(Buffer.from(key.json().key, 'base64url')).toHaveLength(65)
    const { subscription } = service.device('phone')
    const posted = await app('POST', '/account/push', { subscription, label: ' Phone ' }, bearer)
    expect(posted.statusCode).toBe(201)
    const { data } = posted.json()
    expect(data).toMatchObject({ label: 'Phone', previews: false, current: true })
    const body = { subscription: { ...subscription, expirationTime: null }, label: 'Phone', previews: true }
    expect((await app('POST', '/account/push', body, bearer)).statusCode).toBe(200)
    const listed = await app('GET', '/account/push', undefined, bearer)
    expect(listed.json()).toEqual({ devices: [{ ...data, previews: true }] })
    const { endpoint } = subscription
    for (const asked of [{}, { endpoint }]) {
      const tested = await app('POST', '/account/push/test', asked, bearer)
      expect(tested.json()).toEqual({ message: 'Test sent', sent: 1, failed: 0 })
    }
    expect(devicesOf()).toEqual(['phone', 'phone'])
    expect(service.received[0]?.key).toBe(key.json().key)
    expect((await app('DELETE', '/account/push', { endpoint }, bearer)).statusCode).toBe(204)
    expect((await app('DELETE', '/account/push', { endpoint }, bearer)).statusCode).toBe(204)
    const unnamed = await app('DELETE', '/account/push', {}, bearer)
    expect([unnamed.statusCode, unnamed.json().details]).toMatchObject([400, [{ field: 'endpoint' }]])
    expect((await app('GET', '/account/push', undefined, bearer)).json()).toEqual({ devices: [] })
    expect((await app('POST', '/account/push/test', { endpoint }, bearer)).statusCode).toBe(404)
  })

  it('of another admin is neither listed, tested nor unsubscribed', async () => {
    const zoe = await admin('zoe')
    const endpoint = zoe.devices[0]?.subscription.endpoint
    const { bearer } = await test.signIn()
    expect((await app('GET', '/account/push', undefined, bearer)).json()).toEqual({ devices: [] })
    expect((await app('POST', '/account/push/test', { endpoint }, bearer)).statusCode).toBe(404)
    expect((await app('DELETE', '/account/push', { endpoint }, bearer)).statusCode).toBe(204)
    expect(await deviceIds(zoe)).toBe(1)
  })

  it.each([
    ['subscription/endpoint', { endpoint: 'http://fcm.googleapis.com/fcm/send/x' }],
    ['subscription/endpoint', { endpoint: 'https://push.example.com/x' }],
    ['subscription/endpoint', { endpoint: 'https://127.0.0.1/x' }],
    ['subscription/endpoint', { endpoint: 'https://fcm.googleapis.com:8443/x' }],
    ['subscription/endpoint', { endpoint: 'https://user:secret@fcm.googleapis.com/x' }],
    ['subscription/endpoint', { endpoint: 'https://fcm.googleapis.com.example.com/x' }],
    ['subscription/endpoint', { endpoint: 'https://notpush.apple.com/x' }],
    ['subscription/endpoint', { endpoint: `https://fcm.googleapis.com/${'x'.repeat(2_048)}` }],
    ['subscription/keys/p256dh', { keys: { p256dh: 'A'.repeat(87) } }],
    ['subscription/keys/p256dh', { keys: { p256dh: `BA${'A'.repeat(85)}` } }],
    ['subscription/keys/auth', { keys: { auth: 'a'.repeat(21) } }],
    ['subscription/keys/auth', { keys: { auth: `${'a'.repeat(21)}=` } }],
    ['label', { label: 'x'.repeat(81) }],
    ['label', { label: ' ' }],
    ['previews', { previews: 'yes' }],
  ])('is refused for its %s: %j', async (field, change) => {
    const { bearer } = await test.signIn()
    const { subscription } = service.device('phone')
    const { endpoint = subscription.endpoint, keys = {}, ...rest } = change as Record<string, object | string>
    const answer = await app(
      'POST',
      '/account/push',
      {
        subscription: { endpoint, keys: { ...subscription.keys, ...(keys as object) } },
        ...{ label: 'Phone', ...rest },
      },
      bearer,
    )
    expect(answer.statusCode).toBe(400)
    expect(answer.json().details.map((detail: { field: string }) => detail.field)).toEqual([field])
  })

  it.each([
    'https://fcm.googleapis.com/fcm/send/abc:APA91b',
    'https://updates.push.services.mozilla.com/wpush/v2/abc',
    'https://web.push.apple.com/abc',
    'https://wns2-par02p.notify.windows.com/w/?token=abc',
  ])('of a known browser is accepted: %s', async (endpoint) => {
    const { bearer } = await test.signIn()
    const subscription = { ...service.device('phone').subscription, endpoint }
    const answer = await app('POST', '/account/push', { subscription, label: 'Phone' }, bearer)
    expect(answer.statusCode).toBe(201)
  })

  it('is one of twenty at most', async () => {
    const { bearer, sid } = await test.signIn()
    const own = { userId: await firstAdmin(), sid, devices: [] }
    for (let n = 0; n < 19; n += 1) await subscribe(own, service.device(`device ${n}`))
    await subscribe(own, service.device('of an ended session'), { sessionId: 'f'.repeat(24) })
    const post = () =>
      app('POST', '/account/push', { ...service.device('one more'), label: 'One more' }, bearer)
    expect((await post()).statusCode).toBe(201)
    const full = await post()
    expect([full.statusCode, full.json().code]).toEqual([409, 'conflict'])
  })

  it('is dropped with its session', async () => {
    const { bearer, cookie } = await test.signIn()
    const { subscription } = service.device('phone')
    await app('POST', '/account/push', { subscription, label: 'Phone' }, bearer)
    const userId = await firstAdmin()
    expect(await test.storage.subscriptions.listOf(userId)).toHaveLength(1)
    await test.call('POST', '/api/auth/logout', { cookies: { refresh: cookie } })
    await vi.waitFor(async () => expect(await test.storage.subscriptions.listOf(userId)).toEqual([]))
    await send(newClientId())
    ahead = 11 * SECOND
    await settled()
    expect(service.received).toEqual([])
  })

  it('of a session that ended on another node is dropped when a push is due', async () => {
    const zoe = await admin('zoe')
    await test.storage.sessions.end(zoe.sid)
    await send(newClientId())
    ahead = 11 * SECOND
    await settled()
    expect(service.received).toEqual([])
    expect(await deviceIds(zoe)).toBe(0)
  })
})

describe('two nodes', () => {
  it('push once to each device, and share one key', async () => {
    const other = await build()
    try {
      await admin('zoe', ['phone', 'laptop'])
      const clients = Array.from({ length: 6 }, () => newClientId())
      for (const clientId of clients) await send(clientId)
      ahead = 10 * SECOND
      await pushed(12)
      await settled()
      ahead = 5 * MINUTE
      await settled()
      expect(service.received).toHaveLength(12)
      expect(new Set(service.received.map(({ key }) => key)).size).toBe(1)
      const seen = service.received.map(({ device, payload }) => `${device} ${payload.tag}`)
      expect(new Set(seen).size).toBe(12)
    } finally {
      await other.close()
    }
  })
})

describe('a store without jobs, as a restored one,', () => {
  const stored = async (clientId: string, agoMs: number) => {
    const message = { message: 'from before', nonce: newId(), at: now() - agoMs }
    await test.storage.messages.append({ ...message, clientId, senderId: clientId })
  }

  it('notifies once of messages of the last hour, and of no older ones', async () => {
    await admin('zoe')
    await admin('sam')
    const [recent, old, older] = [newClientId(), newClientId(), newClientId()]
    await stored(recent, 10 * MINUTE)
    await stored(old, 2 * 60 * MINUTE)
    await stored(older, 24 * 60 * MINUTE)
    for (let restarts = 0; restarts < 2; restarts += 1) {
      await test.close()
      test = await build()
      ahead += 11 * SECOND
      await settled()
    }
    expect(service.received.map(({ payload }) => payload.tag)).toEqual([recent, recent])
    expect(devicesOf()).toEqual(['sam', 'zoe'])

    // A new message is about itself: the assignee is asked first.
    const zoe = await test.storage.users.findByName('zoe')
    const by = zoe?._id ?? ''
    await test.storage.inbox.change(old, { assigneeId: by }, { by, at: now() })
    await send(old)
    service.received.length = 0
    ahead += 10 * SECOND
    await settled()
    expect(devicesOf()).toEqual(['zoe'])
    ahead += 60 * SECOND
    await settled()
    expect(devicesOf()).toEqual(['sam', 'zoe'])
  })

  it('notifies of a message that is sent again, because its process died before it had a job', async () => {
    await admin('zoe')
    // The search after the start is over.
    await settled()
    const clientId = newClientId()
    const again = { message: 'from before', nonce: newId() }
    await test.storage.messages.append({ ...again, clientId, senderId: clientId, at: now() - 5 * SECOND })
    await send(clientId, again.message, again.nonce)
    ahead += 10 * SECOND
    await settled()
    expect(devicesOf()).toEqual(['zoe'])
  })

  it('is looked at once it can be read', async () => {
    await admin('zoe')
    const clientId = newClientId()
    await stored(clientId, MINUTE)
    await test.close()
    const { conversations, jobs } = stores.storage
    const away = new Error('The store is away.')
    const refusals = [
      vi.spyOn(conversations, 'list').mockRejectedValueOnce(away),
      vi.spyOn(jobs, 'schedule').mockRejectedValueOnce(away),
    ]
    test = await build()
    await vi.waitFor(() => expect(refusals[0]).toHaveBeenCalled())
    ahead = 20 * SECOND
    await pushed(1)
    for (const refusal of refusals) refusal.mockRestore()
  })
})
