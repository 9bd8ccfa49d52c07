import { execFileSync } from 'node:child_process'
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
let sent = 0
const send = () => {
  sent += 1
  return post('/api/chat', {
    clientId: 'visitor0000000000001',
    message: 'Hello',
    nonce: `nonce-${sent}-xxxx`,
  })
}

describe('a full disk', { timeout: 60_000 }, () => {
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
    expect((await fetch(`${server.origin}/api/chat/visitor0000000000001`)).status).toBe(200)

    const logged = server.output().slice(before)
    expect(logged).toContain('disk I/O error')
    expect(logged).not.toContain('    at ')
    expect(logged.split('disk I/O error').length).toBeLessThan(5)
    expect(logged.length / REFUSALS).toBeLessThan(500)

    limitFiles('unlimited')
    await vi.waitFor(async () => expect((await fetch(`${server.origin}/readyz`)).status).toBe(200))
    expect((await send()).status).toBe(201)
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
