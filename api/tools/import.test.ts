import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CHILD_ENV, type ServerProcess, startServer, temporaryDir } from '../test/server-process.ts'

// The tests start several processes.
vi.setConfig({ testTimeout: 240_000 })

const FIXTURES = join(import.meta.dirname, '../test/imports')
const PASSWORD = 'correct-horse-9'

let dir: ReturnType<typeof temporaryDir>
let server: ServerProcess | undefined
beforeEach(() => {
  dir = temporaryDir('import')
  server = undefined
})
afterEach(async () => {
  await server?.stop('SIGKILL')
  dir.remove()
})

function run(...args: string[]) {
  return new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const argv = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'import.ts'), ...args]
    const env = { ...CHILD_ENV, DATA_DIR: dir.path }
    const child = execFile(process.execPath, argv, { env }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
}

it('imports beside a running server, which shows it to admins only, and takes it back', async () => {
  server = await startServer({ dataDir: dir.path, env: { ADMIN_PASSWORD: PASSWORD } })
  const { origin } = server
  const json = { 'content-type': 'application/json' }
  const signedIn = await fetch(`${origin}/api/auth`, {
    ...{ method: 'POST', headers: json },
    body: JSON.stringify({ userName: 'admin', password: PASSWORD }),
  })
  const { accessToken } = (await signedIn.json()) as { accessToken: string }
  const headers = { authorization: `Bearer ${accessToken}` }
  const get = async (path: string) => (await fetch(`${origin}/api${path}`, { headers })).json()
  // The server has its rows and numbers in memory when the import begins.
  const visitor = 'Visitor0000000000001'
  const send = (clientId: string, message: string) =>
    fetch(`${origin}/api/chat`, {
      ...{ method: 'POST', headers: json },
      body: JSON.stringify({ clientId, senderId: clientId, message }),
    })
  expect((await send(visitor, 'Hello')).status).toBe(201)

  const file = join(FIXTURES, 'chatwoot.json')
  const dry = await run('--from', 'chatwoot', file, '--dry-run')
  expect(dry).toMatchObject({
    code: 0,
    out: expect.stringContaining('An import would add 2 conversations, 3 messages'),
  })
  const { code, out } = await run('--from', 'chatwoot', '--json', file)
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ conversations: 2, messages: 3, notes: 1, people: 2, replies: 1 })

  const list = (await get('/chat')) as ConversationSummary[]
  expect(
    list.map(({ visitor: { name }, status, waitingSince }) => [name, status, waitingSince === null]),
  ).toEqual([
    [null, 'open', false],
    ['Odalys Prunier', 'open', true],
    ['Imke Vossbrink', 'resolved', true],
  ])
  expect(await get('/chat/unread/count')).toEqual({ totalAdminUnread: 1 })
  expect(await get('/replies')).toMatchObject({ replies: [{ shortcut: 'hours' }] })
  const { clientId } = list[2] as ConversationSummary
  expect((await fetch(`${origin}/api/chat/${clientId}`)).status).toBe(403)
  expect((await send(clientId, 'Mine')).status).toBe(403)
  const { messages, people } = (await get(`/chat/admin/${clientId}`)) as {
    messages: { senderId: string }[]
    people: Record<string, { name: string }>
  }
  expect(messages.map(({ senderId }) => people[senderId]?.name)).toEqual([undefined, 'Tarek Amrani'])
  expect((await send(visitor, 'And again')).status).toBe(201)

  const undone = await run('--from', 'chatwoot', file, '--undo')
  expect(undone.out).toBe(
    'Removed 2 conversations, 3 messages, 1 note, 2 people, and 1 canned reply.\nKept: nothing.\n',
  )
  expect(await get('/chat')).toHaveLength(1)
  expect((await send(visitor, 'Still here')).status).toBe(201)
  expect(await get('/audit?limit=10')).toMatchObject({
    entries: expect.arrayContaining([
      expect.objectContaining({ action: 'import.ran' }),
      expect.objectContaining({ action: 'import.undone' }),
    ]),
  })
})

it('says what is wrong with its arguments and files', async () => {
  server = await startServer({ dataDir: dir.path })
  const file = join(FIXTURES, 'chatwoot.json')
  for (const args of [
    [],
    ['--from', 'zendesk', file],
    ['--from', 'csv'],
    ['--from', 'csv', file, '--undo', '--dry-run'],
  ])
    expect(await run(...args)).toMatchObject({
      code: 2,
      err: expect.stringContaining('Usage: npm run import'),
    })
  expect(await run('--from', 'csv', join(dir.path, 'missing.csv'))).toMatchObject({
    ...{ code: 1, err: expect.stringMatching(/^There is no file .*missing\.csv\.\n$/) },
  })
  expect(await run('--from', 'csv', file)).toMatchObject({
    code: 1,
    err: expect.stringContaining('lacks the column'),
  })
  expect(await run('--from', 'crisp', join(FIXTURES, 'sheet.csv'))).toMatchObject({
    ...{ code: 1, err: expect.stringContaining('is not JSON') },
  })
})
