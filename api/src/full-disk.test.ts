import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ADMIN } from '../test/admin.ts'
import { type ServerProcess, startServer, temporaryDir } from '../test/server-process.ts'

let folder: ReturnType<typeof temporaryDir>
let server: ServerProcess
beforeEach(async () => {
  folder = temporaryDir('full')
  server = await startServer({ dataDir: folder.path })
})
afterEach(async () => {
  await server.stop('SIGKILL')
  folder.remove()
})

/** No file of the server can grow beyond this: its writes fail as they do on a full disk. */
function limitFiles(bytes: number | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(server.child.pid), `--fsize=${bytes}:`])
}

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(server.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
// biome-ignore lint/suspicious/noExplicitAny: the tests expect its shape
const jsonOf = async (answer: Response): Promise<any> => answer.json()

const VISITOR = 'visitor0000000000001'
let sent = 0
const send = (attachments: string[] = []) => {
  sent += 1
  return post('/api/chat', { clientId: VISITOR, message: 'Hello', nonce: `nonce-${sent}-xxxx`, attachments })
}
const page = async () => jsonOf(await fetch(`${server.origin}/api/chat/${VISITOR}`))
const erase = () => fetch(`${server.origin}/api/chat/${VISITOR}`, { method: 'DELETE' })

async function allowFiles(): Promise<void> {
  const { accessToken } = await jsonOf(await post('/api/auth', ADMIN))
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' }
  const path = `${server.origin}/api/settings`
  const settings = await jsonOf(await fetch(path, { headers }))
  await fetch(path, { method: 'PUT', headers, body: JSON.stringify({ ...settings, files: true }) })
}

function upload(nonce: string, bytes: Buffer): Promise<Response> {
  const body = new FormData()
  body.set('nonce', nonce)
  body.set('file', new File([new Uint8Array(bytes)], 'a.pdf'))
  return fetch(`${server.origin}/api/chat/${VISITOR}/files`, { method: 'POST', body })
}
const idOf = async (answer: Response): Promise<string> => (await jsonOf(answer)).data._id
/** Oldest first: ids begin with their time. */
const filesOfMessages = () => readdirSync(join(folder.path, 'attachments')).sort()
const pdf = (size: number) =>
  Buffer.concat([Buffer.from('%PDF-1.7\n1 0 obj\n'), Buffer.alloc(size, 'x'), Buffer.from('\nendobj\n%%EOF')])

describe('a full disk', { timeout: 120_000 }, () => {
  it('is reported by /readyz, logged in few lines, and needs no restart once it has room', async () => {
    expect((await send()).status).toBe(201)
    limitFiles(1)
    const before = server.output().length
    const REFUSALS = 50
    for (let index = 0; index < REFUSALS; index++) {
      const answer = await send()
      expect(answer.status).toBe(503)
      expect(await answer.json()).toMatchObject({ code: 'unavailable', retryable: true })
    }
    const ready = await fetch(`${server.origin}/readyz`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({
      message: expect.stringMatching(/^The database can't be written/),
    })
    expect((await fetch(`${server.origin}/api/chat/${VISITOR}`)).status).toBe(200)

    const logged = server.output().slice(before)
    expect(logged).toContain('disk I/O error')
    expect(logged).not.toContain('    at ')
    expect(logged.split('disk I/O error').length).toBeLessThan(5)
    expect(logged.length / REFUSALS).toBeLessThan(500)

    limitFiles('unlimited')
    await vi.waitFor(async () => expect((await fetch(`${server.origin}/readyz`)).status).toBe(200))
    expect((await send()).status).toBe(201)
  })

  it('stores nothing by halves, and takes everything again once it has room', async () => {
    await allowFiles()
    const [early, late] = [pdf(1_000), pdf(3_000_000)]
    const first = await upload('nonce-of-early', early)
    expect(first.status).toBe(201)
    expect((await send([await idOf(first)])).status).toBe(201)
    const waiting = await idOf(await upload('nonce-of-waiting', early))
    const stored = filesOfMessages()
    expect(stored).toHaveLength(2)
    const refused = { code: 'unavailable', retryable: true }

    // Room for rows, but not for this file.
    limitFiles(2_000_000)
    const tooMuch = await upload('nonce-of-late', late)
    // Final, so that the text of the message goes on without it.
    const full = { code: 'storage-full', retryable: false }
    expect([tooMuch.status, await tooMuch.json()]).toMatchObject([507, full])
    expect(filesOfMessages()).toEqual(stored)

    limitFiles(1)
    for (const attempt of [
      () => upload('nonce-of-late', late),
      () => upload('nonce-of-another', early),
      () => send([waiting]),
      () => erase(),
    ]) {
      const answer = await attempt()
      expect([answer.status, await answer.json()]).toMatchObject([503, refused])
    }
    expect(filesOfMessages()).toEqual(stored)
    expect(await page()).toMatchObject({ messages: [{ seq: 1, attachments: [{ _id: stored[0] }] }] })
    const read = await fetch(`${server.origin}/api/chat/${VISITOR}/files/${stored[0]}`)
    expect(Buffer.from(await read.arrayBuffer()).equals(early)).toBe(true)

    limitFiles('unlimited')
    await vi.waitFor(async () => expect((await fetch(`${server.origin}/readyz`)).status).toBe(200))
    const again = await upload('nonce-of-late', late)
    expect(again.status).toBe(201)
    expect((await send([waiting, await idOf(again)])).status).toBe(201)
    expect((await page()).messages).toHaveLength(2)
    expect((await erase()).status).toBe(204)
    expect(filesOfMessages()).toEqual([])
  })

  it('does not prevent signing out', async () => {
    const signedIn = await post('/api/auth', ADMIN)
    expect(signedIn.status).toBe(200)
    const cookie = signedIn.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    limitFiles(1)
    const answer = await post('/api/auth/logout', {}, { cookie })
    expect(answer.status).toBe(503)
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^refresh=;.*Expires=Thu, 01 Jan 1970/),
    ])
  })
})
