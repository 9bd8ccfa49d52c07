import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { io } from 'socket.io-client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { CHILD_ENV } from '../../test/server-process.ts'
import { withoutValues } from './without-values.ts'

/** Part of every value that must not be logged. */
const MARK = 'Zq7x'
const CLIENT_ID = `${MARK}Client0000000001`
const KEY = `-${MARK}_Key`.padEnd(43, '-')
const ADDRESS = '203.0.113.77'

let test: TestApp
let url: string
beforeEach(async () => {
  test = await buildTestApp({
    variables: { LOG_LEVEL: 'trace', TRUST_PROXY: 'true', PUBLIC_REVIEWS: 'moderated' },
  })
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  url = `http://127.0.0.1:${(test.app.server.address() as AddressInfo).port}`
})
afterEach(() => test.close())

const headers = {
  'x-forwarded-for': ADDRESS,
  'user-agent': `${MARK}agent`,
  referer: `https://example.com/${MARK}`,
  cookie: `refresh=${MARK}.cookie; known=${MARK}`,
}
const json = { ...headers, 'content-type': 'application/json' }

async function call(method: string, path: string, body?: string | object, more: Record<string, string> = {}) {
  const answer = await fetch(url + path, {
    method,
    headers: { ...(body === undefined ? headers : json), ...more },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: answer.status, body: await answer.text() }
}

async function open(namespace: string, auth: object) {
  const socket = io(`${url}${namespace}?${MARK}=query`, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    auth,
    extraHeaders: headers,
  })
  await new Promise((resolve) => {
    socket.once('connect', () => resolve(null))
    socket.once('connect_error', resolve)
  })
  return socket
}

/** Valid and invalid requests of strangers, visitors and admins. */
async function sayEverything(): Promise<string[]> {
  const { accessToken, cookie, bearer } = await test.signIn()
  const message = `${MARK} my card number`
  await call('POST', '/api/chat', { clientId: CLIENT_ID, message, nonce: `${MARK}nonce1` })
  await call('POST', '/api/chat', { clientId: CLIENT_ID, message: `${message} 2`, nonce: `${MARK}nonce1` })
  await call('POST', '/api/chat', { clientId: CLIENT_ID, message, senderId: `${MARK}sender` })
  await call('POST', '/api/chat', { clientId: CLIENT_ID, message: { [MARK]: MARK } })
  await call('POST', '/api/chat', `{"clientId":"${CLIENT_ID}","message":"${MARK}`)
  await call('GET', `/api/chat/${CLIENT_ID}?after=0&${MARK}=1`)
  await call('GET', `/api/chat/${CLIENT_ID}?after=${MARK}`)
  await call('GET', `/api/chat/admin/${CLIENT_ID}`, undefined, bearer)
  await call('GET', `/api/chat/admin/${CLIENT_ID}`, undefined, {
    authorization: `Bearer ${MARK}.${MARK}.${MARK}`,
  })
  await call('POST', `/api/chat/${CLIENT_ID}/read`, { seq: 1 })
  for (const authorization of [`Visitor ${KEY}`, `Visitor ${KEY}x`, `visitor ${MARK}`]) {
    await call('GET', `/api/chat/${CLIENT_ID}`, undefined, { authorization })
    await call('GET', `/api/chat/admin/${CLIENT_ID}`, undefined, { authorization })
  }
  await call('GET', `/api/chat/${MARK}`)
  await call('GET', `/${MARK}/%zz?token=${MARK}`)
  await call('DELETE', `/api/chat?cursor=${MARK}`)
  await call('POST', '/api/auth', { userName: `${MARK}name`, password: `${MARK}password` })
  await call('POST', '/api/auth', { userName: ADMIN.userName, password: `${MARK}password` })
  await call('GET', '/api/auth/refresh/000000000000000000000000')
  await call(
    'POST',
    '/api/account/password',
    { currentPassword: `${MARK}old`, newPassword: `${MARK}-new-1234` },
    bearer,
  )
  await call('POST', '/api/contacts', { email: `${MARK}@example.com`, title: MARK, message })
  await call('POST', '/api/reviews/submit', { name: MARK, time: 'May 2026', star: 5, review: message })
  await call(
    'POST',
    '/api/csp-report',
    JSON.stringify({
      'csp-report': {
        'effective-directive': 'script-src',
        'blocked-uri': CLIENT_ID,
        'document-uri': `${url}/${MARK}`,
      },
    }),
    { 'content-type': 'application/csp-report' },
  )
  await call(
    'POST',
    '/api/uploads',
    `--x\r\nContent-Disposition: form-data; name="file"; filename="${MARK}.png"\r\n\r\n${MARK}`,
    {
      ...bearer,
      'content-type': 'multipart/form-data; boundary=x',
    },
  )
  const raw = connect(Number(new URL(url).port), '127.0.0.1')
  raw.end(`${MARK} ${MARK}\r\n\r\n`)
  await once(raw.resume(), 'close')

  const visitor = await open('/visitor', { clientId: CLIENT_ID })
  const admin = await open('/admin', { token: accessToken })
  for (const refused of [{ clientId: MARK }, { clientId: { [MARK]: 1 } }])
    (await open('/visitor', refused)).close()
  for (const token of [`${MARK}.${MARK}.x`, { [MARK]: 1 }]) (await open('/admin', { token })).close()
  await visitor.emitWithAck('message:send', { nonce: `${MARK}nonce2`, message })
  await visitor.emitWithAck('message:send', { nonce: `${MARK}nonce2`, message: `${message} 3` })
  await visitor.emitWithAck('message:send', { nonce: MARK, message, [MARK]: MARK })
  await visitor.emitWithAck(`${MARK}:event`, { message })
  await visitor.emitWithAck('conversation:sync', { after: MARK })
  await visitor.emitWithAck('typing:set', { typing: true })
  await admin.emitWithAck('message:send', { clientId: CLIENT_ID, nonce: `${MARK}nonce3`, message })
  await admin.emitWithAck('conversation:read', { clientId: CLIENT_ID, seq: 1 })

  // Everything again with a closed store.
  await test.storage.close()
  await visitor.emitWithAck('message:send', { nonce: `${MARK}nonce4`, message })
  await visitor.emitWithAck('conversation:sync', { after: 0 })
  await call('POST', '/api/chat', { clientId: CLIENT_ID, message })
  await call('GET', `/api/chat/${CLIENT_ID}`)
  await call('POST', '/api/auth', { userName: `${MARK}name`, password: `${MARK}password` })
  await open('/admin', { token: accessToken }).then((socket) => socket.close())
  visitor.close()
  admin.close()
  return [accessToken, cookie, ADMIN.password]
}

describe('the log', () => {
  it('contains no message and no credential', async () => {
    const secrets = await sayEverything()
    await vi.waitFor(() => expect(test.log.join('')).toContain('command failed'))
    expect(test.log.length).toBeGreaterThan(20)
    for (const line of test.log) {
      for (const secret of [MARK, ADDRESS, ...secrets]) expect(line).not.toContain(secret)
      // One line each, for any input.
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), msg: expect.any(String) })
    }
  })

  it('has the request id of each refusal, over HTTP and by socket', async () => {
    const lineOf = (requestId: string) =>
      vi.waitFor(() => {
        const found = test.log.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId)
        expect(found).not.toEqual([])
        return found.at(-1)
      })
    const { body } = await call('POST', '/api/chat', { clientId: CLIENT_ID, message: ' ' })
    expect(await lineOf(JSON.parse(body).requestId)).toMatchObject({
      route: '/api/chat',
      status: 400,
      code: 'invalid-input',
    })

    const visitor = await open('/visitor', { clientId: CLIENT_ID })
    const refused = await visitor.emitWithAck('message:send', { nonce: 'nonce-0001', message: ' ' })
    expect(await lineOf(refused.error.requestId)).toMatchObject({
      connection: visitor.id,
      command: 'message:send',
      code: 'invalid-input',
    })
    await test.storage.close()
    const failed = await visitor.emitWithAck('message:send', { nonce: 'nonce-0002', message: 'hello' })
    expect(await lineOf(failed.error.requestId)).toMatchObject({
      connection: visitor.id,
      command: 'message:send',
      err: { stack: expect.any(String) },
    })
    visitor.close()
  })
})

it('removes values from messages of drivers', () => {
  expect(
    withoutValues(
      `E11000 duplicate key error collection: chat.messages index: clientId_1 dup key: { clientId: "${CLIENT_ID}" }`,
    ),
  ).toBe('E11000 duplicate key error collection: chat.messages index: clientId_1 dup key')
  expect(withoutValues('cannot reach mongodb://user:p%40ss@db.internal:27017/chat')).toBe(
    'cannot reach mongodb://***@db.internal:27017/chat',
  )
  expect(withoutValues(`no room for ${CLIENT_ID}!`)).toBe('no room for ***!')
  expect(withoutValues(`moreKeys.${KEY} of "${KEY}"`)).toBe('moreKeys.*** of "***"')
})

it.each([
  { MONGODB_URL: `mongodb://${MARK}user:${MARK}pass@127.0.0.1:notaport/chat` },
  { MONGODB_URL: `mongodb://${MARK}user:${MARK}pass@127.0.0.1:1/chat?serverSelectionTimeoutMS=300` },
  { REDIS_URL: `redis://${MARK}user:${MARK}pass@127.0.0.1:1` },
  { REDIS_URL: `redis://${MARK}user:${MARK}pass@127.0.0.1:notaport` },
])('the process prints no password of its environment (%j)', { timeout: 120_000 }, async (variables) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'proctorpass-log-'))
  const server = spawn(process.execPath, [join(import.meta.dirname, '../server.ts')], {
    env: {
      ...CHILD_ENV,
      PORT: '0',
      SERVE_WEB: 'false',
      LOG_LEVEL: 'trace',
      DATA_DIR: dataDir,
      JWT_SECRET: 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW',
      ...variables,
    },
  })
  const output: string[] = []
  for (const stream of [server.stdout, server.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text))
  }
  const ended = once(server, 'close')
  // Either it refuses to start, or it says that it runs and what it misses.
  const isSettled = () => server.exitCode !== null || output.join('').includes('is running at')
  await vi.waitFor(() => expect(isSettled()).toBe(true), { timeout: 90_000 })
  server.kill('SIGTERM')
  await ended
  rmSync(dataDir, { recursive: true, force: true })
  expect(output.join('')).not.toBe('')
  expect(output.join('')).not.toContain(MARK)
})
