import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { paths } from '@proctorpass/shared/paths'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../../test/build-app.ts'
import { describeOnMongo } from '../../../test/mongo-server.ts'
import { type ProxiedConnection, TcpProxy } from '../../../test/tcp-proxy.ts'
import { CONTACTS, openContacts } from '../model/contacts.ts'
import type { Stores } from '../model/storage.ts'
import { connectMongo, type MongoConnection } from './connection.ts'
import { openMongo } from './open-mongo.ts'
import { openRows } from './rows.ts'

/** The URL with the proxy in front of its server. */
async function proxied(
  url: string,
  onConnection?: (connection: ProxiedConnection) => void,
): Promise<{ proxy: TcpProxy; url: URL }> {
  const through = new URL(url)
  const proxy = await TcpProxy.open(Number(through.port), onConnection === undefined ? {} : { onConnection })
  through.port = String(proxy.port)
  return { proxy, url: through }
}

const away = { code: 'unavailable' }

describeOnMongo('a connection that the store ends', (freshUrl) => {
  const opened: Socket[] = []
  const remember = (message: unknown) => opened.push((message as { socket: Socket }).socket)
  let proxy: TcpProxy
  let connection: MongoConnection
  /** The only one that carries commands. */
  let pooled: ProxiedConnection | undefined
  let failed: unknown[]

  beforeEach(async () => {
    subscribe('net.client.socket', remember)
    pooled = undefined
    const to = await proxied(freshUrl(), (each) => {
      each.client.on('data', (bytes: Buffer) => {
        if (bytes.includes('find\0')) pooled = each
      })
    })
    proxy = to.proxy
    to.url.searchParams.set('maxPoolSize', '1')
    to.url.searchParams.set('monitorCommands', 'true')
    connection = await connectMongo(to.url.href, { answerTimeoutMs: 1_000 })
    failed = []
    connection.db.client.on('commandFailed', ({ failure }) => failed.push(failure))
  })
  afterEach(async () => {
    unsubscribe('net.client.socket', remember)
    await connection.close()
    proxy.close()
    opened.length = 0
  })

  const contacts = () => {
    const { db, majority, guard } = connection
    return guard(openContacts(openRows(db, majority, CONTACTS)))
  }

  /** Begins the call in the turn in which the client's socket emits the event, after the store has ended it. */
  async function atEvent<T>(event: 'end' | 'finish', call: () => Promise<T>): Promise<T> {
    await contacts().findById('nobody')
    const port = pooled?.client.remotePort
    const socket = opened.find(({ localPort }) => localPort === port)
    return new Promise((resolve, reject) => {
      socket?.once(event, () => call().then(resolve, reject))
      pooled?.endClient()
    })
  }
  const message = { email: 'sam@example.com', title: 'A title', message: 'A message', createdAt: 0 }

  it('while a read begins is no failure: the read is repeated', async () => {
    expect(await atEvent('end', () => contacts().findById('nobody'))).toBeNull()
    expect(failed).toMatchObject([{ code: 'EPIPE' }])
  })

  it('while a write begins is an outage', async () => {
    await expect(atEvent('end', () => contacts().create(message))).rejects.toMatchObject(away)
    expect(failed).toMatchObject([{ code: 'EPIPE' }])
    expect((await contacts().list({ page: 1, perPage: 15 })).count).toBe(0)
  })

  it('before a command begins is an outage, although the driver waits forever', async () => {
    await expect(atEvent('finish', () => contacts().findById('nobody'))).rejects.toMatchObject(away)
  })
})

describeOnMongo('the app', (freshUrl) => {
  let proxy: TcpProxy
  let stores: Stores
  let test: TestApp
  beforeEach(async () => {
    const to = await proxied(freshUrl())
    proxy = to.proxy
    stores = await openMongo(to.url.href)
    test = await buildTestApp({ stores })
  })
  afterEach(async () => {
    proxy.accept()
    proxy.endSilence()
    await test.close()
    await stores.storage.close()
    proxy.close()
  })

  it('answers everything within eight seconds while the store hangs', async () => {
    const { call, env, signIn, postSignIn } = test
    const { bearer } = await signIn()
    const clientId = newClientId()
    const api = (path: string) => `${env.apiPrefix}${path}`
    const send = (nonce: string) =>
      call('POST', api(paths.chat), { payload: { clientId, senderId: clientId, message: 'Hello', nonce } })
    expect((await send('nonce-before')).statusCode).toBe(201)

    proxy.silence()
    const asked = {
      // Two, because the second waits for the first.
      message: send('nonce-first-xx'),
      nextMessage: send('nonce-second-x'),
      conversation: call('GET', api(paths.conversation(clientId))),
      list: call('GET', api(paths.chat), { headers: bearer }),
      posts: call('GET', `${api(paths.blogs)}?page=1&perPage=14`),
      signIn: postSignIn('Admin', 'a password'),
      image: call('GET', `/uploads/${'a'.repeat(40)}.png`),
    }
    const statuses = Promise.all(
      Object.entries(asked).map(async ([name, answer]) => [name, (await answer).statusCode]),
    )
    // A timer of this process: however late it is, those of the store have fired before.
    const late = wait(8_000, 'not answered')
    expect(await Promise.race([statuses, late])).toEqual(Object.keys(asked).map((name) => [name, 503]))
  })

  it('is not ready while only the front of the store answers', async () => {
    expect((await test.call('GET', '/readyz')).statusCode).toBe(200)
    // Like a mongos without its shards.
    proxy.cutNext(
      (bytes) => !/(hello|ismaster|ping)\0/i.test(bytes.toString('latin1')),
      Array.from({ length: 100 }, () => 'before the request'),
    )
    expect((await test.call('GET', '/readyz')).statusCode).toBe(503)
  })
})
