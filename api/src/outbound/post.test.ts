import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { selfSignedCertificate } from '../../test/self-signed-certificate.ts'
import { NotAllowed } from './addresses.ts'
import { createPost } from './post.ts'

const trusted = getCACertificates('default')
const certificate = selfSignedCertificate()
const asked: string[] = []
let connections = 0
let answer: RequestListener
const server = createServer(certificate, (request, response) => {
  asked.push(`${request.method} ${request.url}`)
  answer(request, response)
}).on('connection', () => {
  connections += 1
})
let port: number

beforeAll(async () => {
  setDefaultCACertificates([...trusted, certificate.cert])
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
beforeEach(() => {
  asked.length = 0
  connections = 0
  answer = (_request, response) => response.writeHead(201).end()
})
afterAll(async () => {
  setDefaultCACertificates(trusted)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function post({ name = 'localhost', own = true, by = createPost({ now: Date.now }) } = {}) {
  const request = { host: { name, port, own }, headers: {}, body: Buffer.from('x') }
  return by(`https://${name}:${port}/path`, request)
}

it('follows no redirect', async () => {
  answer = (_request, response) => response.writeHead(307, { location: '/other' }).end()
  expect(await post()).toMatchObject({ status: 307 })
  expect(asked).toEqual(['POST /path'])
})

it.each(['localhost', '127.0.0.1'])(
  'does not reach %s, which is private, unless the operator named it',
  async (name) => {
    await expect(post({ name, own: false })).rejects.toThrow(NotAllowed)
    expect(connections).toBe(0)
  },
)

it('opens eight connections for many requests', async () => {
  const by = createPost({ now: Date.now })
  const answers = await Promise.all(Array.from({ length: 40 }, () => post({ by })))
  expect(answers).toEqual(Array(40).fill({ status: 201, pauseMs: null, text: '' }))
  expect(connections).toBeLessThanOrEqual(8)
})

it.each([
  ['30', 30_000],
  ['999999', 3_600_000],
  ['0', 1_000],
  ['soon', null],
  ['Thu, 01 Jan 1970 00:02:00 GMT', 90_000],
])('reads a Retry-After of %j', async (header, pauseMs) => {
  answer = (_request, response) => response.writeHead(503, { 'retry-after': header }).end('busy')
  const by = createPost({ now: () => 30_000 })
  expect(await post({ by })).toEqual({ status: 503, pauseMs, text: 'busy' })
})

it('reads 500 characters of an answer', async () => {
  answer = (_request, response) => response.writeHead(500).end('x'.repeat(100_000))
  expect(await post()).toMatchObject({ status: 500, text: 'x'.repeat(500) })
})

it('reads as much of each answer as it was told to, as UTF-8', async () => {
  answer = (_request, response) => response.writeHead(200).end('你'.repeat(1_000))
  const by = createPost({ now: Date.now, answerMax: 1_024, readsSuccess: true })
  expect((await post({ by })).text).toBe(`${'你'.repeat(341)}\ufffd`)
})

it('waits as long as it was told to at most', async () => {
  answer = (_request, response) => response.writeHead(503, { 'retry-after': '999999' }).end()
  expect((await post({ by: createPost({ now: Date.now, pauseMaxMs: 86_400_000 }) })).pauseMs).toBe(86_400_000)
})

it('is broken off', async () => {
  const stop = new AbortController()
  answer = () => stop.abort()
  const request = { host: { name: 'localhost', port, own: true }, headers: {}, body: Buffer.from('x') }
  const by = createPost({ now: Date.now })
  await expect(by(`https://localhost:${port}/`, { ...request, signal: stop.signal })).rejects.toThrow(
    'aborted',
  )
})

it('rejects an answer with headers of more than 8 KB', async () => {
  answer = (_request, response) => response.writeHead(200, { more: 'x'.repeat(9_000) }).end()
  await expect(post()).rejects.toThrow('Header overflow')
})

it('ends when there is no answer in time', async () => {
  answer = () => {}
  await expect(post({ by: createPost({ now: Date.now, answerWithinMs: 200 }) })).rejects.toThrow('aborted')
})

it('has the status of an answer that breaks off', async () => {
  answer = (_request, response) => {
    response.writeHead(500)
    response.write('half', () => response.destroy())
  }
  expect(await post()).toMatchObject({ status: 500, text: 'half' })
})
