import type { Delivery, Endpoint, EndpointSecret } from '@proctorpass/shared/schemas/endpoint'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { startSmtpServer, type TestSmtpServer } from '../../test/smtp-server.ts'
import { LOOK_EVERY_MS } from '../../test/watched-jobs.ts'
import { type WebhookReceiver, webhookReceiver } from '../../test/webhook-receiver.ts'

const HOUR_MS = 60 * 60 * 1_000
/** A busy machine takes long. */
const WITHIN = { timeout: 30_000 }

let receiver: WebhookReceiver
let smtp: TestSmtpServer
let test: TestApp
let bearer: { authorization: string }
/** Added to the clock of the server. */
let ahead = 0

beforeEach(async () => {
  receiver = await webhookReceiver()
  smtp = await startSmtpServer()
  ahead = 0
  test = await buildTestApp({
    variables: { WEBHOOK_HOSTS: receiver.host, SMTP_URL: smtp.url, MAIL_FROM: 'chat@example.com' },
    now: () => Date.now() + ahead,
    lookEveryMs: LOOK_EVERY_MS,
  })
  bearer = (await test.signIn()).bearer
})
afterEach(async () => {
  await receiver.close()
  await test.close()
  await smtp.close()
})

async function as<T>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  payload?: object,
): Promise<T> {
  const answer = await test.call(method, `/api${path}`, { headers: bearer, ...(payload && { payload }) })
  expect(answer.statusCode, answer.body).toBeLessThan(300)
  return answer.body === '' ? (undefined as T) : answer.json()
}
const refused = async (method: 'POST' | 'PATCH', path: string, payload: object) =>
  (await test.call(method, `/api${path}`, { headers: bearer, payload })).json()

async function add(fields: object = {}): Promise<Endpoint> {
  const payload = { name: 'Receiver', url: receiver.url, types: [], ...fields }
  const { data, secret } = await as<EndpointSecret>('POST', '/endpoints', payload)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  receiver.secrets.push(secret)
  return data
}
const say = (clientId: string, message: string) =>
  test.call('POST', '/api/chat', { payload: { clientId, message } })
const stateOf = async () => (await as<{ endpoints: Endpoint[] }>('GET', '/endpoints')).endpoints[0]
const deliveriesOf = async ({ _id }: Endpoint) =>
  (await as<{ deliveries: Delivery[] }>('GET', `/endpoints/${_id}/deliveries`)).deliveries
const texts = () => receiver.received.map(({ body }) => body.data.text)
/** Answers by the text of a message. */
const answerBy = (statusOf: (text: unknown) => number, headers: Record<string, string> = {}) =>
  receiver.answer(({ body }, response) => response.writeHead(statusOf(body.data.text), headers).end('said'))

describe('an endpoint', () => {
  it('receives each event once, signed, as GET /events tells it', async () => {
    const endpoint = await add()
    const clientId = newClientId()
    await say(clientId, 'Hello')
    await expect.poll(() => receiver.ids(), WITHIN).toEqual([1, 2])
    const { events } = await as<{ events: object[] }>('GET', '/events')
    expect(receiver.received.map(({ body }) => body)).toEqual(events)
    expect(receiver.received.map(({ id }) => id)).toEqual(['evt_1', 'evt_2'])
    expect(receiver.received[0]?.headers['content-type']).toBe('application/json')
    expect(receiver.refused()).toBe(0)
    await expect.poll(async () => (await deliveriesOf(endpoint)).length, WITHIN).toBe(2)
    expect((await deliveriesOf(endpoint))[0]).toMatchObject({
      ...{ event: 2, type: 'message.created', attempt: 1, status: 204, error: null },
      request: events[1],
    })
    expect(await stateOf()).toMatchObject({ state: 'fine', failingSince: null })
  })

  it('receives only its types, and the words of notes only if it asks for them', async () => {
    const clientId = newClientId()
    await say(clientId, 'Before')
    await add({ types: ['note.created'] })
    await add({ types: ['note.created', 'contact.created'], notes: true })
    await say(clientId, 'Hello')
    const note = { nonce: 'nonce-of-note', text: 'for admins' }
    await as('POST', `/chat/admin/${clientId}/notes`, note)
    await test.call('POST', '/api/contacts', {
      payload: { email: 'sam@example.com', title: 'A title', message: 'A message' },
    })
    await expect.poll(() => receiver.received.length, WITHIN).toBe(3)
    const bodies = receiver.received.map(({ body }) => body)
    expect(bodies.map(({ type }) => type).sort()).toEqual(['contact.created', 'note.created', 'note.created'])
    expect(
      bodies
        .filter(({ type }) => type === 'note.created')
        .map(({ data }) => data.text)
        .sort(),
    ).toEqual(['for admins', undefined])
    expect(JSON.stringify(bodies)).not.toContain('sam@example.com')
  })

  it('leaves no answer of a conversation that was erased while its event was posted', async () => {
    const endpoint = await add({ types: ['message.created', 'conversation.erased'] })
    const clientId = newClientId()
    receiver.answer(({ body }, response) => {
      const end = () => response.writeHead(200).end(`taken: ${body.data.text}`)
      if (body.type === 'conversation.erased') end()
      else as('DELETE', `/chat/admin/${clientId}`).then(end)
    })
    await say(clientId, 'for the two of us')
    const types = async () => (await deliveriesOf(endpoint)).map(({ type }) => type)
    await expect.poll(types, WITHIN).toContain('conversation.erased')
    expect(await types()).toEqual(['conversation.erased'])
  })

  it('is tested once, also while it is disabled', async () => {
    const endpoint = await add()
    await as('PATCH', `/endpoints/${endpoint._id}`, { enabled: false })
    answerBy(() => 500)
    expect(await as('POST', `/endpoints/${endpoint._id}/test`)).toEqual({ queued: 1 })
    await expect.poll(async () => (await deliveriesOf(endpoint)).length, WITHIN).toBe(1)
    expect(receiver.received.map(({ body }) => body.type)).toEqual(['test'])
    expect((await deliveriesOf(endpoint))[0]).toMatchObject({
      ...{ event: 0, type: 'test', status: 500, answer: 'said', request: { id: 0, type: 'test' } },
    })
    expect(await stateOf()).toMatchObject({ state: 'disabled', disabledBy: 'admin', failingSince: null })
  })

  it('verifies with the old secret too for 24 hours, and with the newest two when it changed twice', async () => {
    const endpoint = await add()
    const fresh = async () => (await as<EndpointSecret>('POST', `/endpoints/${endpoint._id}/secret`)).secret
    const [first = ''] = receiver.secrets
    const secrets = [first, await fresh(), await fresh()]
    receiver.secrets.length = 0
    const signers = ({ text, headers }: WebhookReceiver['received'][number]) =>
      secrets.map((secret) => {
        try {
          new Webhook(secret).verify(text, headers)
          return true
        } catch {
          return false
        }
      })
    const sentBy = async () => {
      const before = receiver.received.length
      await as('POST', `/endpoints/${endpoint._id}/test`)
      await expect.poll(() => receiver.received.length, WITHIN).toBe(before + 1)
      return receiver.received.at(-1) as WebhookReceiver['received'][number]
    }
    expect(signers(await sentBy())).toEqual([false, true, true])
    ahead = 25 * HOUR_MS
    expect((await sentBy()).headers['webhook-signature']?.split(' ')).toHaveLength(1)
  })

  it('is refused where it may not be', async () => {
    const base = { name: 'x', types: [] }
    for (const url of [
      'http://hooks.example/x',
      'https://10.0.0.1/',
      'https://[::1]/',
      'https://127.0.0.1:1/',
      'https://169.254.169.254/latest',
      'https://[fe80::1]/',
      'https://224.0.0.1/',
      'https://a:b@hooks.example/',
      'ftp://hooks.example',
      'https://hooks.example/#x',
      'hooks.example',
      'https://2130706433/',
      'https://0x7f.1/',
      `https://hooks.example/${'x'.repeat(2_100)}`,
      '',
    ]) {
      const { code, details } = await refused('POST', '/endpoints', { ...base, url })
      expect([url, code, details?.[0]?.field]).toEqual([url, 'invalid-input', 'url'])
    }
    expect((await refused('POST', '/endpoints', { ...base, name: ' ', url: receiver.url })).details).toEqual([
      { field: 'name', message: 'Name is required' },
    ])
    expect(
      (await refused('POST', '/endpoints', { name: 'x', url: 'https://a.example', types: ['x'] })).code,
    ).toBe('invalid-input')
  })

  it('is judged when it is connected to, and redirects are not followed', async () => {
    const local = await add({ url: 'https://localhost:1/' })
    receiver.secrets.length = 0
    const redirecting = await add()
    receiver.answer((_event, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())
    await say(newClientId(), 'Hello')
    await expect.poll(async () => (await deliveriesOf(local)).length, WITHIN).toBeGreaterThan(0)
    expect((await deliveriesOf(local))[0]).toMatchObject({
      status: null,
      error: expect.stringContaining('private address'),
    })
    await expect.poll(async () => (await deliveriesOf(redirecting)).length, WITHIN).toBeGreaterThan(0)
    expect((await deliveriesOf(redirecting))[0]).toMatchObject({
      status: 302,
      error: "The server doesn't follow redirects",
    })
  })

  it('changes by version, and only 20 exist', async () => {
    const endpoint = await add()
    const path = `/endpoints/${endpoint._id}`
    const { data } = await as<{ data: Endpoint }>('PATCH', path, { name: 'Renamed', version: 1 })
    expect(data).toMatchObject({ name: 'Renamed', version: 2 })
    expect(await refused('PATCH', path, { name: 'x', version: 1 })).toMatchObject({
      code: 'conflict',
      details: [{ field: 'version' }],
    })
    expect((await refused('PATCH', path, {})).code).toBe('invalid-input')
    for (let count = 1; count < 20; count += 1) await add({ name: `${count}` })
    const payload = { name: 'x', url: receiver.url, types: [] }
    expect((await refused('POST', '/endpoints', payload)).code).toBe('conflict')
    await as('DELETE', path)
    expect((await test.call('DELETE', `/api${path}`, { headers: bearer })).statusCode).toBe(404)
    expect((await as<{ count: number }>('GET', '/endpoints')).count).toBe(19)
  })
})

describe('an event that is not taken', () => {
  it('holds up its own conversation, in order, and no other', async () => {
    const endpoint = await add({ types: ['message.created'] })
    const [bad, good] = [newClientId(), newClientId()]
    // The second attempt is not due before the clock is set.
    answerBy((text) => (text === 'bad 1' ? 503 : 200), { 'retry-after': '60' })
    await say(bad, 'bad 1')
    await say(bad, 'bad 2')
    await say(good, 'good 1')
    await expect.poll(texts, WITHIN).toContain('good 1')
    await say(bad, 'bad 3')
    await say(good, 'good 2')
    await expect.poll(texts, WITHIN).toContain('good 2')
    expect(texts()).not.toContain('bad 2')
    answerBy(() => 200)
    ahead = 61_000
    await expect.poll(texts, WITHIN).toContain('bad 3')
    const ofBad = texts().filter((text) => `${text}`.startsWith('bad'))
    expect(ofBad).toEqual(['bad 1', 'bad 1', 'bad 2', 'bad 3'])
    const repeated = receiver.received.filter(({ body }) => body.data.text === 'bad 1')
    expect(new Set(repeated.map(({ id }) => id)).size).toBe(1)
    await expect.poll(async () => (await stateOf())?.state, WITHIN).toBe('fine')
    expect((await deliveriesOf(endpoint)).map(({ attempt }) => attempt)).toContain(2)
  })

  it('is tried ten times in 75 hours, then the next event follows', async () => {
    const endpoint = await add({ types: ['message.created'] })
    receiver.secrets.length = 0
    answerBy((text) => (text === 'bad' ? 503 : 200))
    const clientId = newClientId()
    await say(clientId, 'bad')
    await say(clientId, 'next')
    const schedule = [5 / 3600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24]
    for (const [index, hours] of schedule.entries()) {
      await expect.poll(texts, WITHIN).toEqual(Array(index + 1).fill('bad'))
      const attempts = async () => (await test.storage.retries.list(endpoint._id, { limit: 1 }))[0]?.attempts
      await expect.poll(attempts, WITHIN).toBe(index + 1)
      ahead += hours * 1.1 * HOUR_MS + 1
    }
    await expect.poll(texts, WITHIN).toEqual([...Array(10).fill('bad'), 'next'])
  })

  it('waits as long as Retry-After says, up to a day', async () => {
    const endpoint = await add({ types: ['message.created'] })
    const dueIn = async () => {
      await expect
        .poll(async () => (await test.storage.retries.list(endpoint._id, { limit: 1 })).length, WITHIN)
        .toBe(1)
      const [retry] = await test.storage.retries.list(endpoint._id, { limit: 1 })
      return Math.round(((retry?.dueAt ?? 0) - Date.now()) / HOUR_MS)
    }
    answerBy(() => 429, { 'retry-after': '7200' })
    await say(newClientId(), 'Hello')
    expect(await dueIn()).toBe(2)
    const other = await add({ types: ['message.created'] })
    answerBy(() => 503, { 'retry-after': '999999' })
    await say(newClientId(), 'Hello')
    await expect
      .poll(async () => (await test.storage.retries.list(other._id, { limit: 1 })).length, WITHIN)
      .toBe(1)
    const [retry] = await test.storage.retries.list(other._id, { limit: 1 })
    expect(Math.round(((retry?.dueAt ?? 0) - Date.now()) / HOUR_MS)).toBe(24)
  })

  it('disables an endpoint that answers 410, which goes on where it was once it is enabled', async () => {
    const endpoint = await add({ types: ['message.created'] })
    answerBy(() => 410)
    const clientId = newClientId()
    await say(clientId, 'one')
    await expect.poll(async () => (await stateOf())?.disabledBy, WITHIN).toBe('gone')
    await say(clientId, 'two')
    expect(await refused('POST', `/endpoints/${endpoint._id}/replay`, { from: 1, to: 2 })).toMatchObject({
      code: 'conflict',
    })
    answerBy(() => 200)
    await as('PATCH', `/endpoints/${endpoint._id}`, { enabled: true })
    await expect.poll(() => texts().at(-1), WITHIN).toBe('two')
    expect(texts()).toEqual(['one', 'one', 'two'])
    const { entries } = await as<{ entries: { action: string; by: string | null }[] }>('GET', '/audit')
    expect(entries.filter(({ action, by }) => action === 'endpoint.changed' && by === null)).toHaveLength(1)
  })

  it('disables an endpoint after five days of nothing but failures, and mails the admins', async () => {
    await add({ types: ['message.created'] })
    receiver.secrets.length = 0
    answerBy(() => 500)
    await say(newClientId(), 'one')
    await expect.poll(async () => (await stateOf())?.state, WITHIN).toBe('failing')
    ahead = 119 * HOUR_MS
    await expect.poll(() => texts().length, WITHIN).toBe(2)
    expect((await stateOf())?.state).toBe('failing')
    ahead = 121 * HOUR_MS
    await say(newClientId(), 'two')
    await expect.poll(async () => (await stateOf())?.disabledBy, WITHIN).toBe('failures')
    const ofWebhooks = () => smtp.mails.filter(({ headers }) => headers.subject === 'A webhook was disabled')
    await expect.poll(() => ofWebhooks().length, WITHIN).toBe(1)
    const [mail] = ofWebhooks()
    expect(mail?.text.replace(/\s+/g, ' ')).toContain(
      `The endpoint Receiver on ${receiver.host} has accepted no events`,
    )
    expect(mail?.text).toContain('/dashboard/integrations')
    expect(mail?.raw).not.toContain('/hook')
  })

  it('is posted once the endpoint takes events again, and the log waits while it takes none', async () => {
    const endpoint = await add({ types: ['message.created'] })
    answerBy(() => 500)
    for (let count = 0; count < 60; count += 1) await say(newClientId(), `message ${count}`)
    const attempts = async () =>
      (await test.storage.retries.list(endpoint._id, { limit: 100 })).map((retry) => retry.attempts)
    await expect.poll(async () => (await attempts()).length, WITHIN).toBeGreaterThan(9)
    ahead = 6_000
    // They would be due in five minutes.
    await expect.poll(async () => (await attempts()).every((count) => count === 2), WITHIN).toBe(true)
    expect((await test.storage.endpoints.find(endpoint._id))?.after).toBeLessThan(120)
    answerBy(() => 200)
    ahead = 60_000
    const areSoon = async () =>
      (await test.storage.retries.list(endpoint._id, { limit: 100 })).every(
        ({ dueAt }) => dueAt <= Date.now() + ahead + 30_000,
      )
    await expect.poll(areSoon, WITHIN).toBe(true)
    ahead += 30_000
    await expect.poll(() => new Set(texts()).size, WITHIN).toBe(60)
    await expect.poll(async () => (await attempts()).length, WITHIN).toBe(0)
  })
})

describe('a replay', () => {
  it('posts a range again, under the same webhook-id', async () => {
    const endpoint = await add()
    const clientId = newClientId()
    for (const text of ['one', 'two', 'three']) await say(clientId, text)
    await expect.poll(() => receiver.ids(), WITHIN).toEqual([1, 2, 3, 4])
    receiver.received.length = 0
    expect(await as('POST', `/endpoints/${endpoint._id}/replay`, { from: 2, to: 3 })).toEqual({ queued: 2 })
    await expect.poll(() => receiver.received.map(({ id }) => id), WITHIN).toEqual(['evt_2', 'evt_3'])
    expect(await as('POST', `/endpoints/${endpoint._id}/replay`, { from: 9, to: 12 })).toEqual({ queued: 0 })
    expect(
      (await refused('POST', `/endpoints/${endpoint._id}/replay`, { from: 3, to: 2 })).details[0].field,
    ).toBe('to')
    await test.storage.events.prune(Date.now() + 1_000)
    expect((await refused('POST', `/endpoints/${endpoint._id}/replay`, { from: 2, to: 4 })).code).toBe(
      'too-old',
    )
  })

  it('is retried as well, before later events of the conversation', async () => {
    const endpoint = await add({ types: ['message.created'] })
    const clientId = newClientId()
    for (const text of ['one', 'two']) await say(clientId, text)
    await expect.poll(texts, WITHIN).toEqual(['one', 'two'])
    receiver.received.length = 0
    answerBy(() => 500)
    await as('POST', `/endpoints/${endpoint._id}/replay`, { from: 1, to: 2 })
    await expect.poll(texts, WITHIN).toEqual(['one'])
    await say(clientId, 'three')
    answerBy(() => 200)
    ahead = 6_000
    await expect.poll(texts, WITHIN).toEqual(['one', 'one', 'two', 'three'])
  })
})
