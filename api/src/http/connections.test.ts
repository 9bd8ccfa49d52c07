import { EventEmitter } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it, vi } from 'vitest'
import WebSocket from 'ws'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'
import { makeWebBuild } from '../../test/web-build.ts'
import { type ConnectionLimits, limitConnections } from './connections.ts'

/** More than the kernel buffers for a peer that does not read. */
const BIG_BYTES = 24 * 1024 * 1024
const build = makeWebBuild()
writeFileSync(join(build.distDir, 'client/assets/big-1a2b.js'), Buffer.alloc(BIG_BYTES, 'x'))
afterAll(() => build.remove())

const TOKEN = 'a-token-of-enough-letters'
let test: TestApp
let port: number
const sockets: Socket[] = []

async function start(connectionLimits: Partial<ConnectionLimits>, variables: Record<string, string> = {}) {
  test = await buildTestApp({
    distDir: build.distDir,
    connectionLimits,
    variables: { SERVE_WEB: 'true', METRICS_TOKEN: TOKEN, ...variables },
  })
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  port = (test.app.server.address() as AddressInfo).port
}
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await test.close()
})

/** A client that does not read until resumed. */
function open(...paths: string[]): Socket {
  const socket = connect(port, '127.0.0.1').pause()
  sockets.push(socket)
  socket.on('error', () => {})
  // In one packet: Node reads no further ones while an answer waits.
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
  return socket
}
const BIG = '/assets/big-1a2b.js'

const inject = (url: string, headers = {}) => test.call('GET', url, { headers })
/** Metrics by name and label. */
async function metric(name: string): Promise<number> {
  const { body } = await inject('/metrics', { authorization: `Bearer ${TOKEN}` })
  const line = body.split('\n').find((each) => each.startsWith(`proctorpass_${name} `))
  return Number(line?.split(' ').at(-1))
}
const closedFor = (reason: string) => metric(`connections_closed_total{reason="${reason}"}`)
const untilWaiting = (bytes: number) =>
  vi.waitFor(async () => expect(await metric('waiting_bytes')).toBeGreaterThan(bytes))

it('closes a connection whose peer reads nothing', async () => {
  await start({ stalledMs: 100, sweepMs: 20 })
  open(BIG)
  await vi.waitFor(async () => expect(await closedFor('stalled')).toBe(1), 10_000)
  await vi.waitFor(async () => expect(await metric('connections')).toBe(0), 10_000)
  expect(await metric('waiting_bytes')).toBe(0)
})

it('sends everything to a slow reader', async () => {
  await start({ stalledMs: 1_500, sweepMs: 20 })
  const socket = open(`${BIG}`)
  let bytes = 0
  socket.on('data', (data) => {
    bytes += data.length
    // Takes about three seconds.
    if (Math.floor(bytes / 400_000) > Math.floor((bytes - data.length) / 400_000)) {
      socket.pause()
      setTimeout(() => socket.resume(), 50)
    }
  })
  socket.resume()
  await vi.waitFor(() => expect(bytes).toBeGreaterThan(BIG_BYTES), 30_000)
  expect(await closedFor('stalled')).toBe(0)
})

it('closes a WebSocket whose peer reads nothing', async () => {
  await start({ stalledMs: 100, sweepMs: 20 }, { RATE_LIMITS: 'off' })
  const clientId = newClientId()
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`)
  await new Promise<void>((resolve) => {
    socket.on('message', (data) => {
      if (String(data).startsWith('0')) socket.send(`40/visitor,{"clientId":"${clientId}"}`)
      else if (String(data).startsWith('40')) resolve()
    })
  })
  socket.pause()
  const say = (index: number) =>
    test.call('POST', '/api/chat', {
      payload: { clientId, message: '😀'.repeat(3_900), nonce: `nonce-${index}-x` },
    })
  for (let index = 0; (await closedFor('stalled')) === 0; index += 50) {
    expect(index, 'messages').toBeLessThan(2_000)
    await Promise.all(Array.from({ length: 50 }, (_, each) => say(index + each)))
  }
  socket.terminate()
})

it('starts a pipelined request after the previous answer was sent', async () => {
  await start({})
  const taken = vi.spyOn(test.app.useCases.limits, 'take')
  const reads = () => taken.mock.calls.filter(([kind]) => kind === 'poll').length
  const socket = open(BIG, `/api/chat/${newClientId()}`)
  await untilWaiting(1_000_000)
  expect(reads()).toBe(0)
  let received = ''
  socket.setEncoding('latin1').on('data', (data) => {
    received = (received + data).slice(-1_000)
  })
  socket.resume()
  await vi.waitFor(() => expect(received).toContain('"messages":[]'), 10_000)
  expect(reads()).toBe(1)
})

it('closes a connection with too many pipelined requests', async () => {
  await start({})
  const socket = open(...Array.from({ length: 100 }, () => '/api/config')).resume()
  await vi.waitFor(async () => expect(await closedFor('pipelined')).toBe(1))
  await vi.waitFor(() => expect(socket.destroyed).toBe(true))
})

it('limits connections per address, and closes idle ones first', async () => {
  await start({ perAddress: 5 })
  for (let index = 0; index < 4; index += 1) open(BIG)
  await untilWaiting(4_000_000)
  const idle = open('/api/config').resume()
  await vi.waitFor(async () => expect(await metric('connections')).toBe(5))
  const answer = new Promise((resolve) => open('/api/config').resume().once('data', resolve))
  expect(String(await answer)).toMatch(/^HTTP\/1\.1 200 /)
  await vi.waitFor(() => expect(idle.destroyed).toBe(true))
  await vi.waitFor(async () => expect(await metric('connections')).toBe(5), 10_000)
})

it('lets a /48 of IPv6 have eight times as many as one network of it', () => {
  const server = new Server()
  const { state } = limitConnections(server, { countsByAddress: () => true, limits: { perAddress: 5 } })
  // This machine has one address of IPv6, so these are no real connections.
  const arrive = (remoteAddress: string) =>
    server.emit('connection', Object.assign(new EventEmitter(), { remoteAddress, resetAndDestroy() {} }))
  for (let network = 0; network < 40; network += 1) arrive(`2001:db8:1:${network}::1`)
  expect(state().closed.address).toBe(0)
  arrive('2001:db8:2::1')
  expect(state().closed.address).toBe(0)
  arrive('2001:db8:1:99::1')
  expect(state().closed.address).toBe(1)
  server.emit('close')
})

it('counts neither connections of a proxy nor WebSockets', async () => {
  await start({ perAddress: 2 }, { TRUST_PROXY: '127.0.0.1' })
  for (let index = 0; index < 6; index += 1) open('/api/config').resume()
  await vi.waitFor(async () => expect(await metric('connections')).toBe(6))
  await test.close()

  await start({ perAddress: 2 })
  const people = Array.from(
    { length: 6 },
    () => new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`),
  )
  for (const person of people) await vi.waitFor(() => expect(person.readyState).toBe(WebSocket.OPEN))
  expect(await closedFor('address')).toBe(0)
  for (const person of people) person.terminate()
})

it('refuses large answers but not small ones while too much is pending', async () => {
  await start({ waitingBytes: BIG_BYTES + 4_000_000, sweepMs: 3_600_000 })
  const stuck = open(BIG)
  await untilWaiting(8_000_000)
  const url = `http://127.0.0.1:${port}`
  const large = await fetch(url + BIG)
  expect([large.status, large.headers.get('retry-after'), await large.json()]).toEqual([
    503,
    '5',
    expect.objectContaining({ code: 'unavailable', retryable: true }),
  ])
  expect((await fetch(`${url}/api/config`)).status).toBe(200)
  stuck.destroy()
  await vi.waitFor(async () => expect((await fetch(url + BIG, { method: 'HEAD' })).status).toBe(200))
})

it('closes the stalled connections with the most pending bytes first', async () => {
  await start({ waitingBytes: 30_000_000, sweepMs: 20 })
  open(BIG)
  open('/api/config')
  await vi.waitFor(async () => expect(await closedFor('waiting-bytes')).toBe(1), 10_000)
  await vi.waitFor(async () => expect(await metric('connections')).toBe(1), 10_000)
})

it('ends idle connections after the stall limit, and behind a proxy later than the proxy', async () => {
  await start({})
  expect(test.app.server.keepAliveTimeout).toBe(30_000)
  await test.close()
  await start({}, { TRUST_PROXY: '1' })
  expect(test.app.server.keepAliveTimeout).toBe(60_000)
})
