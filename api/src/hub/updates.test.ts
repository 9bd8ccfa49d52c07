import type { AdminCommands, AdminFacts } from '@proctorpass/shared/events'
import type { SeenMark } from '@proctorpass/shared/schemas/updates'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startTestServer, type TestServer } from '../../test/test-server.ts'

type AdminClient = Socket<AdminFacts, AdminCommands>

const VISITOR = 'Visitor0000000000001'
const clients: AdminClient[] = []
let server: TestServer
beforeEach(async () => {
  server = await startTestServer()
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.disconnect()
  await server.close()
})

/** A socket of an admin, with the marks that it is told of. */
async function tab(token: string): Promise<SeenMark[]> {
  const marks: SeenMark[] = []
  const client: AdminClient = io(`${server.url}/admin`, {
    ...{ transports: ['websocket'], forceNew: true, reconnection: false, auth: { token } },
  })
  clients.push(client)
  client.on('conversation:seen', (mark) => marks.push(mark))
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve())
    client.once('connect_error', reject)
  })
  return marks
}

async function post<T>(path: string, body: object, token?: string): Promise<T> {
  const answer = await fetch(`${server.url}/api${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  expect(answer.ok, `${path} ${answer.status}`).toBe(true)
  return (answer.status === 204 ? null : await answer.json()) as T
}

it('tells what an admin has seen to all tabs of that admin, and to no other', async () => {
  const sam = (await server.signIn()).accessToken
  const { invite } = await post<{ invite: string }>('/team', { userName: 'anna' }, sam)
  const invited = { token: new URL(invite).hash.slice(1), password: 'marble-teapot-horizon' }
  const anna = (await post<{ accessToken: string }>('/invite', invited)).accessToken
  const [first, second, others] = [await tab(sam), await tab(sam), await tab(anna)]
  const hello = { clientId: VISITOR, message: 'hello' }
  const { data } = await post<{ data: { epoch: string } }>('/chat', hello)

  const mark = { clientId: VISITOR, epoch: data.epoch, seq: 1, n: 0 }
  await post('/chat/updates/seen', { marks: [mark] }, sam)
  await vi.waitFor(() => expect([first, second]).toEqual([[mark], [mark]]))
  // A mark that moves nothing tells nothing.
  await post('/chat/updates/seen', { marks: [mark] }, sam)
  await post('/chat/updates/seen', { marks: [mark] }, anna)
  await vi.waitFor(() => expect(others).toEqual([mark]))
  expect([first, second]).toEqual([[mark], [mark]])
})
