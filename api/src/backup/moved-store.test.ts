import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { InjectOptions } from 'fastify'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { challengeCookies } from '../../test/challenge-cookies.ts'
import { describeOnMongo } from '../../test/mongo-server.ts'
import { PasskeyDevice } from '../../test/passkey-device.ts'
import { type PushService, startPushService } from '../../test/push-service.ts'
import { temporaryDir } from '../../test/server-process.ts'
import { startSmtpServer, type TestSmtpServer } from '../../test/smtp-server.ts'
import { LOOK_EVERY_MS, type WatchedJobs, watchJobs } from '../../test/watched-jobs.ts'
import { openBackup, writeBackup } from '../storage/files/backup-file.ts'
import { openCopySource, openCopyTarget, openStores, type StoreLocation } from '../storage/open-storage.ts'
import { copyStore } from './copy-store.ts'

// Two stores and three starts, through a stand-in on a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const SECOND = 1_000
const MINUTE = 60 * SECOND
const KEY = { authorization: `Visitor ${'k'.repeat(43)}` }
const PICTURE = readFileSync(new URL('../../test/pictures/1x1.png', import.meta.url))

let service: PushService
let smtp: TestSmtpServer
let dir: ReturnType<typeof temporaryDir>
let test: TestApp
let settled: WatchedJobs['settled']
let stop: () => Promise<void>
let clock: number

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
  clock = Date.now()
  stop = async () => {}
  dir = temporaryDir('moved')
  smtp = await startSmtpServer()
  service.received.length = 0
  service.problems.length = 0
})
afterEach(async () => {
  await stop()
  await smtp.close()
  dir.remove()
  expect(service.problems).toEqual([])
})

async function start(location: StoreLocation): Promise<void> {
  const { storage, ...files } = await openStores(location)
  const watched = watchJobs(storage.jobs)
  settled = watched.settled
  const variables = { PUSH_HOSTS: service.host, SMTP_URL: smtp.url, MAIL_FROM: 'help@acme.example' }
  const started = await buildTestApp({
    ...{ now: () => clock, lookEveryMs: LOOK_EVERY_MS, dataDir: dir.path },
    stores: { ...files, storage: { ...storage, jobs: watched.jobs } },
    variables: { ...variables, JWT_SECRET: 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW' },
  })
  test = started
  stop = async () => {
    stop = async () => {}
    await started.close()
    await storage.close()
  }
}

async function call(
  method: InjectOptions['method'],
  path: string,
  headers: Record<string, string>,
  payload?: object,
) {
  const answer = await test.call(method, `/api${path}`, { headers, ...(payload && { payload }) })
  expect([path, answer.statusCode]).toEqual([path, expect.toBeOneOf([200, 201, 204])])
  return answer
}

async function later(ms: number): Promise<void> {
  clock += ms
  await settled()
}

async function subscribe(headers: Record<string, string>, name: string): Promise<void> {
  const { subscription } = service.device(name)
  await call('POST', '/account/push', headers, { subscription, label: name, previews: false })
}

async function addPasskey(headers: Record<string, string>): Promise<PasskeyDevice> {
  const device = new PasskeyDevice()
  const options = (await call('POST', '/account/passkeys/options', headers)).json()
  await call('POST', '/account/passkeys', headers, device.create(options, 'Laptop'))
  return device
}

async function signInWith(device: PasskeyDevice): Promise<{ authorization: string }> {
  const asked = await call('POST', '/auth/passkey/options', {}, {})
  const payload = { response: device.sign(asked.json()) }
  const answer = await test.call('POST', '/api/auth/passkey', { payload, cookies: challengeCookies(asked) })
  expect(answer.statusCode, answer.body).toBe(200)
  return { authorization: `Bearer ${answer.json().accessToken}` }
}

/** A conversation whose visitor was mailed, an older one, and one whose message was just notified. */
async function fill() {
  const [mailed, old, recent] = [newClientId(), newClientId(), newClientId()]
  const say = (clientId: string) => call('POST', '/chat', KEY, { clientId, message: 'Can you help me?' })
  clock -= 2 * 60 * MINUTE
  await say(old)
  clock += 2 * 60 * MINUTE
  const { bearer } = await test.signIn()
  const device = await addPasskey(bearer)
  const settings = (await call('GET', '/settings', bearer)).json()
  await call('PUT', '/settings', bearer, { ...settings, files: true, rating: true, retentionDays: 30 })
  await say(mailed)
  await call('PATCH', `/chat/${mailed}/profile`, KEY, { name: 'Sam', email: 'sam@example.org' })
  const form = new FormData()
  form.set('nonce', 'nonce-of-the-file')
  form.set('file', new Blob([PICTURE], { type: 'image/png' }), '合同.png')
  const uploaded = await call('POST', `/chat/${mailed}/files`, KEY, form)
  const fileId: string = uploaded.json().data._id
  await call('POST', '/chat', KEY, { clientId: mailed, message: '', attachments: [fileId] })
  await call('POST', '/chat', bearer, { clientId: mailed, message: 'Here is the answer.' })
  const change = { status: 'resolved', labels: ['Refund'] }
  await call('PATCH', `/chat/admin/${mailed}`, bearer, change)
  await call('POST', `/chat/${mailed}/rating`, KEY, { score: 5, words: 'Thanks' })
  await later(3 * MINUTE)
  // The other one told of the passkey.
  const mails = smtp.mails.filter(({ to }) => to[0] !== test.env.supportEmail)
  expect(mails.map(({ to }) => to)).toEqual([['sam@example.org']])
  const { text = '', headers = {} } = mails[0] ?? {}
  const resume = /\/c#([\w-]+)/.exec(text)?.[1] ?? ''
  const unsubscribe = /unsubscribe\/([\w-]+)/.exec(headers['list-unsubscribe'] ?? '')?.[1] ?? ''

  await subscribe(bearer, 'phone')
  await say(recent)
  await later(11 * SECOND)
  expect(service.received.map(({ payload }) => payload.tag)).toEqual([recent])
  const key = service.received[0]?.key
  service.received.length = 0
  smtp.offered.length = 0
  return { mailed, recent, fileId, resume, unsubscribe, bearer, key, device }
}
type Filled = Awaited<ReturnType<typeof fill>>

/** What visitors and admins read of it. */
async function read({ mailed, fileId }: Filled, bearer: Record<string, string>) {
  const file = await call('GET', `/chat/${mailed}/files/${fileId}`, KEY)
  const { exportedAt: _, ...copy } = (await call('GET', `/chat/${mailed}/export`, KEY)).json()
  const rest = await Promise.all(
    ['/settings', '/push/key', '/chat/counts', '/chat?unread=1', `/chat/admin/${mailed}/activity`].map(
      async (path) => (await call('GET', path, bearer)).body.replaceAll(/"epoch":"[^"]+"/g, ''),
    ),
  )
  return { file: file.rawPayload.toString('base64'), copy, rest }
}

/** Starts twice: devices are notified once, of the message of the last hour, and no mail is sent. */
async function startTwice(location: StoreLocation, notified: string[]): Promise<void> {
  for (let starts = 0; starts < 2; starts += 1) {
    await stop()
    await start(location)
    await later(11 * SECOND)
  }
  expect(service.received.splice(0).map(({ payload }) => payload.tag)).toEqual(notified)
  expect(smtp.offered).toEqual([])
}

const inFolder = (name: string): StoreLocation => ({ dataDir: join(dir.path, name) })

function describeMoves(to: () => StoreLocation): void {
  it('keeps everything when it is migrated', async () => {
    const [from, target] = [inFolder('from'), to()]
    await start(from)
    const filled = await fill()
    const was = await read(filled, filled.bearer)
    await stop()
    const [source, goal] = [await openCopySource(from), await openCopyTarget(target)]
    await copyStore(source, goal, { as: 'it is' })
    await Promise.all([source.close(), goal.close()])

    await startTwice(target, [filled.recent])
    expect(await read(filled, filled.bearer)).toEqual(was)
    expect(await read(filled, await signInWith(filled.device))).toEqual(was)
    await call('POST', '/account/push/test', filled.bearer, {})
    expect(service.received.splice(0).map(({ device, key }) => [device, key])).toEqual([
      ['phone', filled.key],
    ])
    await call('POST', '/chat/resume', {}, { token: filled.resume })
    await call('POST', `/chat/unsubscribe/${filled.unsubscribe}`, {})
  })

  it('keeps everything but sessions, devices and links to conversations when it is restored', async () => {
    const [from, target] = [inFolder('from'), to()]
    await start(from)
    const filled = await fill()
    const was = await read(filled, filled.bearer)
    const source = await openCopySource(from)
    const file = join(dir.path, 'a.backup')
    await writeBackup(source, file)
    await source.close()
    await stop()
    const goal = await openCopyTarget(target)
    await copyStore(await openBackup(file), goal, { as: 'restored' })
    await goal.close()

    await startTwice(target, [])
    const old = await test.call('GET', '/api/account', { headers: filled.bearer })
    expect(old.statusCode).toBe(403)
    const bearer = await signInWith(filled.device)
    expect(await read(filled, bearer)).toEqual(was)
    await subscribe(bearer, 'phone again')
    await call('POST', '/account/push/test', bearer, {})
    expect(service.received.splice(0).map(({ device, key }) => [device, key])).toEqual([
      ['phone again', filled.key],
    ])
    const opened = await test.call('POST', '/api/chat/resume', { payload: { token: filled.resume } })
    expect(opened.statusCode).toBe(404)
    await call('POST', `/chat/unsubscribe/${filled.unsubscribe}`, {})
  })
}

describe('a store of SQLite', () => describeMoves(() => inFolder('to')))
describeOnMongo('a store of SQLite, moved to MongoDB,', (freshUrl) =>
  describeMoves(() => ({ dataDir: join(dir.path, 'to'), mongodbUrl: freshUrl() })),
)
