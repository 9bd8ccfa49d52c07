import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import WebSocket from 'ws'
import { newClientId } from '../../test/build-app.ts'
import { startTestServer, type TestServer } from '../../test/test-server.ts'

let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(() => server.close())

const PATH = '/socket.io/?EIO=4&transport=websocket'

/** The whole answer to a refused upgrade. */
async function upgrade(headers: Record<string, string> = {}, path = PATH): Promise<string> {
  const { hostname, port, host } = new URL(server.url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  const lines = Object.entries({
    Host: host,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await once(socket, 'close')
  return answer
}

const remaining = async () => (await server.app.useCases.limits.take('address', '127.0.0.1'))?.remaining ?? 0
const linesWith = (text: string) => server.log.filter((line) => line.includes(text))

it('upgrades count like requests, refused ones too', async () => {
  const before = await remaining()
  await upgrade({ Origin: 'http://evil.example' })
  await upgrade({}, '/socket.io/?EIO=4&transport=nothing')
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${PATH}`)
  await once(socket, 'open')
  socket.terminate()
  // Reading the rest takes a point too.
  expect(before - (await remaining())).toBe(4)
})

it('an upgrade beyond the limit is answered with a time to retry', async () => {
  await server.app.useCases.limits.charge('address', '127.0.0.1', 12_000)
  const [head = '', body = ''] = (await upgrade()).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/)
  expect(head).toMatch(/^Retry-After: [1-9]\d*\r?$/m)
  expect(JSON.parse(body)).toMatchObject({ code: 'rate-limited', retryAfterMs: expect.any(Number) })
})

it.each([
  [
    'a refused upgrade',
    `GET ${PATH} HTTP/1.1\r\nHost: a\r\nOrigin: http://evil.example\r\nConnection: Upgrade\r\n`,
  ],
  ['nonsense', 'nonsense\r\n'],
  ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n'],
])('%s holds no connection of a peer that never closes', async (_, head) => {
  const { hostname, port } = new URL(server.url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }).on('error', () => {})
  socket.write(`${head}Upgrade: websocket\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1\.1 4\d\d /)
  const { server: http } = server.app
  const count = () => new Promise((resolve) => http.getConnections((_error, open) => resolve(open)))
  await vi.waitFor(async () => expect(await count()).toBe(0), { timeout: 10_000 })
  socket.destroy()
})

it('an upgrade from another origin is refused with a wire error', async () => {
  const [head = '', body = ''] = (await upgrade({ Origin: 'http://evil.example' })).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/)
  expect(JSON.parse(body)).toMatchObject({ code: 'forbidden', requestId: expect.any(String) })
})

it('a connection that breaks during admission does not end the process', async () => {
  let admit = () => {}
  vi.spyOn(server.app.useCases.limits, 'take').mockImplementationOnce(
    () =>
      new Promise((resolve) => {
        admit = () => resolve(null)
      }),
  )
  const { hostname, port, host } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
  await vi.waitFor(() => expect(server.app.useCases.limits.take).toHaveBeenCalled())
  socket.resetAndDestroy()
  await once(socket, 'close')
  admit()
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
})

it('many refusals are logged once for each kind, with a summary', async () => {
  for (let time = 0; time < 20; time += 1) await upgrade({ Origin: 'http://evil.example' })
  await server.app.useCases.limits.charge('address', '127.0.0.1', 12_000)
  for (let time = 0; time < 20; time += 1) await upgrade()
  for (let time = 0; time < 20; time += 1) await (await fetch(`${server.url}/api/config`)).text()
  expect(linesWith('"msg":"upgrade refused"').map((line) => JSON.parse(line).code)).toEqual([
    'forbidden',
    'rate-limited',
  ])
  expect(linesWith('"msg":"request"')).toHaveLength(1)
  const { log } = server
  await server.stop()
  expect(JSON.parse(log.find((line) => line.includes('lines left out')) ?? '{}').more).toEqual({
    'upgrade forbidden': 19,
    'upgrade rate-limited': 19,
    'request rate-limited': 19,
  })
})

it('refused namespace connects are logged once for each kind', async () => {
  for (let time = 0; time < 5; time += 1) {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${PATH}`)
    await once(socket, 'message')
    const refused = once(socket, 'message')
    socket.send('40/visitor,{"clientId":"short"}')
    await refused
    socket.terminate()
  }
  expect(linesWith('"msg":"socket refused"')).toHaveLength(1)
})

it('refused requests are logged one by one up to a limit', async () => {
  for (let time = 0; time < 100; time += 1)
    await (await fetch(`${server.url}/api/chat/${newClientId()}x`)).text()
  await vi.waitFor(() => expect(linesWith('"msg":"request"').length).toBeGreaterThan(30))
  expect(linesWith('"msg":"request"').length).toBeLessThan(90)
})
