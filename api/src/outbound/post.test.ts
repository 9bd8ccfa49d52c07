import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import dns, { type LookupAllOptions } from 'node:dns'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo, Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { selfSignedCertificate } from '../../test/self-signed-certificate.ts'
import { NotAllowed } from './addresses.ts'
import { PUBLIC_HOSTS } from './hosts.ts'
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

describe('a name that leads to a public address first, and to a private one later', () => {
  const lookups = vi.fn<(name: string) => void>()
  const own = { lookup: dns.lookup }
  afterEach(() => {
    dns.lookup = own.lookup
    syncBuiltinESMExports()
    lookups.mockClear()
  })

  /** For this process, also where a connection asks by itself. */
  function lookUp(...answers: string[][]): void {
    const lookup = (name: string, options: LookupAllOptions, callback: (...answer: unknown[]) => void) => {
      const addresses = answers[Math.min(lookups.mock.calls.length, answers.length - 1)] ?? []
      lookups(name)
      const found = addresses.map((address) => ({ address, family: 4 }))
      if (options.all) callback(null, found)
      else callback(null, found[0]?.address, 4)
    }
    dns.lookup = lookup as unknown as typeof dns.lookup
    syncBuiltinESMExports()
  }

  /** Stops at the first attempt to connect. Answers the addresses of the attempts. */
  async function attemptsOf(name: string): Promise<string[]> {
    const attempts: string[] = []
    const stop = new AbortController()
    const watch = (message: unknown) => {
      const { socket } = message as { socket: Socket }
      socket.on('connectionAttempt', (address) => {
        attempts.push(address)
        stop.abort()
      })
    }
    subscribe('net.client.socket', watch)
    const request = { host: PUBLIC_HOSTS, headers: {}, body: Buffer.from('x'), signal: stop.signal }
    const posted = createPost({ now: Date.now })(`https://${name}:${port}/`, request)
    await posted.catch(() => {})
    unsubscribe('net.client.socket', watch)
    return attempts
  }

  it('is asked for once, and connected to at the address that was checked', async () => {
    lookUp(['198.20.0.1'], ['127.0.0.1'])
    expect(await attemptsOf('rebinding.example')).toEqual(['198.20.0.1'])
    expect(lookups.mock.calls).toEqual([['rebinding.example']])
    expect(connections).toBe(0)
  })

  it('is asked for and checked again with the next request', async () => {
    lookUp(['198.20.0.1'], ['127.0.0.1'])
    await attemptsOf('rebinding.example')
    expect(await attemptsOf('rebinding.example')).toEqual([])
    expect([lookups.mock.calls.length, connections]).toEqual([2, 0])
  })

  it('is not connected to when one of its addresses is private', async () => {
    lookUp(['198.20.0.1', '127.0.0.1'])
    expect(await attemptsOf('rebinding.example')).toEqual([])
  })
})

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
