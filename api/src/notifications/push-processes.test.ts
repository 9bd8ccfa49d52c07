import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { accountPaths } from '@proctorpass/shared/account-paths'
import { paths } from '@proctorpass/shared/paths'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { API_PREFIX, newId, signInAsAdmin } from '../../test/chat-client.ts'
import { describeOnMongo } from '../../test/mongo-server.ts'
import { type PushService, startPushService } from '../../test/push-service.ts'
import { type ServerProcess, startServer, temporaryDir } from '../../test/server-process.ts'

const SECOND = 1_000
/** A message is unread for longer than this. */
const UNREAD = 11 * SECOND
const LEASE = 16 * SECOND
const MOVED_CLOCK = fileURLToPath(new URL('../../test/moved-clock.ts', import.meta.url))

let dir: ReturnType<typeof temporaryDir>
let service: PushService
let processes: ServerProcess[]
/** Of the clocks of all processes. */
let ahead: number
beforeEach(async () => {
  ahead = 0
  dir = temporaryDir('push')
  processes = []
  service = await startPushService()
  writeFileSync(join(dir.path, 'service.pem'), service.cert)
})
afterEach(async () => {
  await Promise.all(processes.map((each) => each.stop('SIGKILL')))
  await service.close()
  dir.remove()
  expect(service.problems).toEqual([])
})

async function start(name = 'data', env: Record<string, string> = {}): Promise<ServerProcess> {
  const push = { PUSH_HOSTS: service.host, NODE_EXTRA_CA_CERTS: join(dir.path, 'service.pem') }
  const started = await startServer({
    dataDir: join(dir.path, name),
    env: { ...push, CLOCK_AHEAD_MS: String(ahead), ...env },
    execArgv: ['--import', MOVED_CLOCK],
  })
  processes.push(started)
  return started
}

function later(ms: number): void {
  ahead += ms
  for (const { child } of processes) if (child.connected) child.send(ahead)
}

async function post({ origin }: ServerProcess, path: string, body: object, headers = {}): Promise<void> {
  const answer = await fetch(origin + API_PREFIX + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  expect(answer.status, await answer.text()).toBe(201)
}

async function subscribe(server: ServerProcess, name: string): Promise<void> {
  const { accessToken } = await signInAsAdmin(server.origin)
  const body = { ...service.device(name), label: name }
  await post(server, accountPaths.push, body, { authorization: `Bearer ${accessToken}` })
}

const send = async (server: ServerProcess, clientId = newId()) => {
  await post(server, paths.chat, { clientId, message: 'Is anybody there?', nonce: newId() })
  return clientId
}
const tagsOf = (name: string) =>
  service.received.filter(({ device }) => device === name).map(({ payload }) => payload.tag)

it('arrives once when the process is killed between its claim and the push', async () => {
  const first = await start()
  await subscribe(first, 'phone')
  service.hold(true)
  const clientId = await send(first)
  later(UNREAD)
  await vi.waitFor(() => expect(service.connections()).toBe(1))
  await first.stop('SIGKILL')
  service.hold(false)
  later(LEASE)
  const second = await start()
  await vi.waitFor(() => expect(tagsOf('phone')).toEqual([clientId]))
  const other = await send(second)
  later(UNREAD)
  await vi.waitFor(() => expect(tagsOf('phone')).toEqual([clientId, other]))
})

describeOnMongo('two processes on one store', (freshUrl) => {
  it('push once to each device, and one goes on where the other was killed', async () => {
    const env = { MONGODB_URL: freshUrl(), JWT_SECRET: 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW' }
    const both = [await start('one', env), await start('two', env)] as const
    await subscribe(both[0], 'phone')
    await subscribe(both[1], 'laptop')
    const clients = await Promise.all(
      Array.from({ length: 8 }, (_, n) => send(n % 2 === 0 ? both[0] : both[1])),
    )
    later(UNREAD)
    await vi.waitFor(() => expect(service.received).toHaveLength(16))
    for (const name of ['phone', 'laptop']) expect(tagsOf(name).sort()).toEqual(clients.toSorted())
    expect(new Set(service.received.map(({ key }) => key)).size).toBe(1)

    service.hold(true)
    const before = service.connections()
    const clientId = await send(both[0])
    later(UNREAD)
    await vi.waitFor(() => expect(service.connections()).toBe(before + 2))
    // One of them has the job; the other has none.
    await both[0].stop('SIGKILL')
    service.hold(false)
    later(LEASE)
    await vi.waitFor(() => expect(service.received).toHaveLength(18))
    for (const name of ['phone', 'laptop']) expect(tagsOf(name).at(-1)).toBe(clientId)
    expect(service.received).toHaveLength(18)
  })
})
