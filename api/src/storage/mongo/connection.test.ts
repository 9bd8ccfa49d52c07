import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest'
import { openWireServer } from '../../../test/mongo-wire-server.ts'
import { selfSignedCertificate } from '../../../test/self-signed-certificate.ts'
import { inspectMongo } from '../../../test/servers/find-servers.ts'
import { startupErrorMessage } from '../../startup-error.ts'
import { connectMongo } from './connection.ts'

const PASSWORD = 'a-secret-of-the-operator'

/** What the operator reads when the server cannot start. */
async function problemOf(server: string, options = ''): Promise<string> {
  const url = `mongodb://user:${PASSWORD}@${server}/chat${options}`
  const error = await connectMongo(url).then(
    ({ close }) => close(),
    (reason: unknown) => reason,
  )
  const message = await startupErrorMessage(error, './data')
  expect(message).not.toContain(PASSWORD)
  return message.replace(/^The server can't start: /, '')
}

async function hostOf(server: Server, { onTestFinished }: TestContext): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function wireServer(
  answer: Parameters<typeof openWireServer>[0],
  { onTestFinished }: TestContext,
): Promise<string> {
  const { url, close } = await openWireServer(answer)
  onTestFinished(close)
  return url
}

// Concurrent: each waits for the driver, which looks for a server for four seconds.
describe.concurrent('a start without MongoDB', () => {
  it('says that nothing listens', async (test) => {
    const server = createServer()
    const host = await hostOf(server, test)
    server.close()
    expect(await problemOf(host)).toBe(
      `Nothing is listening at ${host}. Start MongoDB there, or correct MONGODB_URL.`,
    )
  })

  it('says that the name of the host is unknown', async () => {
    expect(await problemOf('mongo.invalid')).toBe(
      "The host name in MONGODB_URL can't be resolved: mongo.invalid:27017.",
    )
  })

  it.each([
    ['an option', '?foo=1', 'MONGODB_URL is invalid: option foo is not supported.'],
    [
      'a file',
      '?tls=true&tlsCAFile=/no/such/file',
      "A file named in MONGODB_URL can't be read: /no/such/file.",
    ],
  ])('says that %s of the URL is wrong', async (_what, options, problem) => {
    expect(await problemOf('127.0.0.1:1', options)).toBe(problem)
  })

  it('says that a server does not use TLS', async (test) => {
    // Like mongod, to which the start of the handshake is a message of an impossible length.
    const hangsUp = createServer((socket) => socket.once('data', () => socket.end()))
    const host = await hostOf(hangsUp, test)
    expect(await problemOf(host, '?tls=true')).toBe(
      `MongoDB at ${host} ended the TLS handshake. If it doesn't use TLS, set tls=false in MONGODB_URL.`,
    )
  })

  describe('that uses TLS', () => {
    const tlsHost = (test: TestContext) =>
      hostOf(
        createTlsServer(selfSignedCertificate()).on('tlsClientError', () => {}),
        test,
      )

    it('says that the connection may need TLS', async (test) => {
      const host = await tlsHost(test)
      expect(await problemOf(host)).toBe(
        `MongoDB at ${host} closed the connection without an answer. If it uses TLS, set tls=true in MONGODB_URL.`,
      )
    })

    it('says that its certificate is not trusted', async (test) => {
      const host = await tlsHost(test)
      expect(await problemOf(host, '?tls=true')).toBe(
        `The certificate of MongoDB at ${host} isn't trusted (self-signed certificate). Set tlsCAFile in MONGODB_URL to the file of its CA.`,
      )
    })
  })

  it('says that the password is wrong', async (test) => {
    const refused = { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' }
    const url = await wireServer((command) => ('saslStart' in command ? refused : { ok: 1 }), test)
    const { host } = new URL(url)
    expect(await problemOf(host)).toBe(`MongoDB at ${host} refused the username or password in MONGODB_URL.`)
  })

  it('says that a replica set has no primary, or another name', async (test) => {
    const url = await wireServer(() => ({ ok: 1, setName: 'other', hosts: ['127.0.0.1:1'] }), test)
    const { host } = new URL(url)
    expect(await problemOf(host, '?replicaSet=chat')).toBe(
      `The replica set at ${host} has no primary, or its name differs from replicaSet in MONGODB_URL.`,
    )
  })

  it('says that a server does not answer', async (test) => {
    const host = await hostOf(createServer(), test)
    expect(await problemOf(host)).toMatch(`MongoDB at ${host} doesn't answer: `)
  })
})

describe('the product and its tests agree', () => {
  it.each([
    ['a standalone server', {}, false],
    ['a replica set', { setName: 'rs', hosts: [] }, true],
    ['a mongos', { msg: 'isdbgrid' }, true],
  ])('whether %s is replicated', async (_what, hello, isReplicated) => {
    const { url, close: closeServer } = await openWireServer(() => ({ ok: 1, ...hello }))
    onTestFinished(closeServer)
    const { majority, close } = await connectMongo(`${url}?directConnection=true`)
    onTestFinished(close)
    expect(majority).toEqual(isReplicated ? { readConcern: { level: 'majority' } } : {})
    expect(await inspectMongo(`${url}?directConnection=true`)).toMatchObject({ isReplicated })
  })
})
