import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BlogList } from '@proctorpass/shared/schemas/blog'
import { io } from 'socket.io-client'
import { describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { CHILD_ENV, temporaryDir } from '../test/server-process.ts'

const SERVER = fileURLToPath(new URL('./server.ts', import.meta.url))
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SLOW_START = { timeout: 90_000 }

/** Processes on a folder of the test's own. */
interface Processes {
  dataDir: string
  start(variables?: Record<string, string>, server?: string): Running
  started(variables?: Record<string, string>): Promise<Running & { url: string }>
}

interface Running {
  child: ChildProcess
  output(): string
  ended: Promise<[number | null]>
}

function processesOn(dataDir: string, children: ChildProcess[]): Processes {
  const start: Processes['start'] = (variables = {}, server = SERVER) => {
    const child = spawn(process.execPath, [server], {
      env: { ...CHILD_ENV, PORT: '0', SERVE_WEB: 'false', DATA_DIR: dataDir, ...variables },
    })
    children.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    return { child, output: () => output, ended: once(child, 'close') as Promise<[number | null]> }
  }
  return {
    dataDir,
    start,
    async started(variables) {
      const running = start(variables)
      const url = await vi.waitFor(() => {
        const found = /is running at (http:\S+)/.exec(running.output())?.[1]
        if (found === undefined) throw new Error(running.output())
        return found
      }, SLOW_START)
      return { ...running, url }
    },
  }
}

const it = test.extend<{ processes: Processes }>({
  processes: async ({ task: _ }, use) => {
    const { path, remove } = temporaryDir('process')
    const children: ChildProcess[] = []
    await use(processesOn(path, children))
    for (const child of children) child.kill('SIGKILL')
    remove()
  },
})

describe('the server', { timeout: 120_000 }, () => {
  it('creates samples in an empty store only', async ({ processes: { dataDir, started } }) => {
    const count = async (url: string) => {
      const answer = await fetch(`${url}/api/blogs?perPage=1`)
      return ((await answer.json()) as BlogList).count
    }
    const shown = await started()
    expect(await count(shown.url)).toBeGreaterThanOrEqual(18)

    const emptyDir = join(dataDir, 'empty')
    const without = await started({ DATA_DIR: emptyDir, SEED_DEMO: 'false' })
    expect(await count(without.url)).toBe(0)
    without.child.kill('SIGTERM')
    await without.ended
    expect(await count((await started({ DATA_DIR: emptyDir })).url)).toBe(0)
  })

  it('prints its address and the file of the first password, but not the password', async ({
    processes: { dataDir, started },
  }) => {
    const first = await started()
    const [, userName] = /\/login as (\S+)/.exec(first.output()) ?? []
    const [, file = ''] = /^The first password is in (.+)$/m.exec(first.output()) ?? []
    const password = readFileSync(file, 'utf8').trim()
    const answer = await fetch(`${first.url}/api/auth`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userName, password }),
    })
    expect(answer.status).toBe(200)
    first.child.kill('SIGTERM')
    expect(await first.ended).toEqual([0, null])
    expect(first.output()).not.toContain(password)
    for (const entry of readdirSync(dataDir, { withFileTypes: true })) {
      if (entry.isDirectory()) continue
      expect(readFileSync(join(dataDir, entry.name)).includes(String(password))).toBe(false)
    }

    const second = await started()
    expect(second.output()).not.toContain('password')
  })

  it('prints no password of its environment', async ({ processes: { started } }) => {
    const running = await started({ ADMIN_PASSWORD: 'lantern-orbit-velvet' })
    expect(running.output()).not.toContain('lantern')
  })

  it('warns when the links of mails lead to this machine', async ({ processes: { dataDir, started } }) => {
    const mail = { SMTP_URL: 'smtp://user:secret@127.0.0.1:9', MAIL_FROM: 'support@example.com' }
    const outputOf = async (variables: Record<string, string>) => {
      const { child, ended, output, url } = await started({ ...mail, ...variables })
      child.kill('SIGTERM')
      await ended
      return { output: output(), url }
    }
    const { output, url } = await outputOf({})
    expect(output).toContain(`PUBLIC_URL is not set: the links in mails lead to ${url}.`)
    expect(output).not.toContain('secret')
    const other = { PUBLIC_URL: 'http://chat.example.com', DATA_DIR: join(dataDir, 'other') }
    expect((await outputOf(other)).output).not.toContain('PUBLIC_URL')
  })

  it('fails when SERVE_WEB is set but the pages are not built', async ({ processes: { dataDir, start } }) => {
    const bare = join(dataDir, 'checkout')
    for (const folder of ['api', 'shared', 'node_modules', 'package.json']) {
      mkdirSync(bare, { recursive: true })
      if (folder !== 'api') symlinkSync(join(ROOT, folder), join(bare, folder))
    }
    cpSync(join(ROOT, 'api/src'), join(bare, 'api/src'), { recursive: true })
    cpSync(join(ROOT, 'api/package.json'), join(bare, 'api/package.json'))
    const running = start({ SERVE_WEB: 'true' }, join(bare, 'api/src/server.ts'))
    expect(await running.ended).toEqual([1, null])
    expect(running.output()).toContain(`The pages aren't built yet: run "npm run build".`)
  })

  it('names all problems of its environment, and exits', async ({ processes: { start } }) => {
    const running = start({ PORT: 'many', CHAT_TRANSPORT: 'pigeon', JWT_SECRET: 'weak' })
    expect(await running.ended).toEqual([1, null])
    for (const name of ['PORT', 'CHAT_TRANSPORT', 'JWT_SECRET']) expect(running.output()).toContain(name)
    expect(running.output()).not.toContain('    at ')
  })

  it('reports a used port or a store that cannot be opened in one line', async ({
    processes: { start, started },
  }) => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const taken = start({ PORT: String(port) })
    expect(await taken.ended).toEqual([1, null])
    expect(taken.output()).toContain(`Port ${port} is already in use`)
    expect(
      taken
        .output()
        .trim()
        .split('\n')
        // Beside what it logs, and what it says of a step that takes long.
        .filter((line) => !line.startsWith('{') && !line.endsWith('…')),
    ).toHaveLength(1)
    other.close()
    // The password was not lost on the start that failed.
    expect((await started()).output()).toContain('The first password is in')

    const lost = start({
      DATA_DIR: '/dev/null/nowhere',
      JWT_SECRET: 'k7Qw9ZrT2xVb4NmJ8sLd6HfGc3PyAe5uRiXo1EtW',
    })
    expect(await lost.ended).toEqual([1, null])
    expect(lost.output()).not.toContain('    at ')
  })

  it.for(['SIGTERM', 'SIGINT'] as const)(
    'exits cleanly on %s with open sockets and connections',
    async (signal, { processes: { started } }) => {
      const running = await started()
      const socket = io(`${running.url}/visitor`, {
        transports: ['websocket'],
        auth: { clientId: 'Visitor0000000000001' },
        reconnection: false,
      })
      await new Promise((resolve) => socket.once('connect', () => resolve(null)))
      const gone = new Promise((resolve) => socket.once('disconnect', resolve))
      const stored = fetch(`${running.url}/api/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ clientId: 'Visitor0000000000001', message: 'just in time' }),
      })
      expect((await stored).status).toBe(201)
      running.child.kill(signal)
      expect(await running.ended).toEqual([0, null])
      // What a client takes for a lost connection, after which it connects again by itself.
      expect(await gone).toBe('transport close')
      socket.close()
    },
  )
})

it(
  'answers requests on open connections after SIGTERM with 503, and closes them',
  SLOW_START,
  async ({ processes: { started } }) => {
    const running = await started()
    const { hostname, port } = new URL(running.url)
    const request = 'GET /api/config HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const open = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const connection = connect(Number(port), hostname).setEncoding('utf8')
        connection.write(request)
        expect((await once(connection, 'data'))[0]).toMatch(/^HTTP\/1\.1 200 /)
        return connection
      }),
    )
    running.child.kill('SIGTERM')
    await vi.waitFor(() => expect(running.output()).toContain('"stopping"'), { interval: 5 })
    const answers = await Promise.all(
      open.map(async (connection) => {
        let answer = ''
        connection.on('data', (text) => {
          answer += text
        })
        connection.on('error', (error) => {
          answer += error.message
        })
        connection.write(request)
        await once(connection, 'close')
        return answer
      }),
    )
    for (const answer of answers)
      expect(answer).toMatch(/^HTTP\/1\.1 503 (.|\r\n)*\r\nconnection: close\r\n/i)
    expect(await running.ended).toEqual([0, null])
  },
)

// One of them for twelve seconds.
describe.concurrent('the server, while it waits', { timeout: 120_000 }, () => {
  // These mostly wait: for a lock, a socket and the time of a drain.
  it.concurrent('is the only process on DATA_DIR, and restarts after it was killed', async ({
    processes: { start, started },
  }) => {
    const first = await started()
    const second = start()
    expect(await second.ended).toEqual([1, null])
    expect(second.output()).toContain('Another process already uses')
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
    first.child.kill('SIGKILL')
    await first.ended
    expect((await started()).output()).toContain('is running at')
  })

  it.concurrent('lets the system hold the connections of many who return at once', async ({
    processes: { started },
  }) => {
    const { child, url } = await started()
    // A stopped process accepts nothing, so the system holds all of them.
    child.kill('SIGSTOP')
    const { hostname, port } = new URL(url)
    const sockets = Array.from({ length: 1_500 }, () => connect(Number(port), hostname))
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    for (const socket of sockets) socket.destroy()
  })

  it.concurrent('closes its store before it exits, also with an unreachable socket', async ({
    processes: { dataDir, started },
  }) => {
    const running = await started()
    const socket = new WebSocket(`${running.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`)
    await once(socket, 'message')
    socket.pause()
    running.child.kill('SIGTERM')
    expect(await running.ended).toEqual([0, null])
    // Writes that were still in the log of the database are in it now.
    expect(readdirSync(dataDir)).not.toContain('chat.sqlite-wal')
    socket.terminate()
  })

  it.concurrent('as one of several nodes drains: it serves briefly, but is not ready', async ({
    processes: { started },
  }) => {
    // Whether Redis is there makes no difference to that.
    const running = await started({ REDIS_URL: 'redis://:a-secret-word@127.0.0.1:1' })
    const socket = io(`${running.url}/visitor`, {
      transports: ['websocket'],
      auth: { clientId: 'Visitor0000000000001' },
      reconnection: false,
    })
    await new Promise((resolve) => socket.once('connect', () => resolve(null)))
    const gone = new Promise((resolve) => socket.once('disconnect', resolve))
    const ready = await fetch(`${running.url}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'degraded' }])

    running.child.kill('SIGTERM')
    await vi.waitFor(async () => expect((await fetch(`${running.url}/readyz`)).status).toBe(503), {
      ...SLOW_START,
      interval: 5,
    })
    const served = await fetch(`${running.url}/api/config`)
    expect([served.status, served.headers.get('connection')]).toEqual([200, 'close'])
    expect(socket.connected).toBe(true)
    expect(await gone).toBe('transport close')
    expect(await running.ended).toEqual([0, null])
    expect(running.output()).not.toContain('secret')
    socket.close()
  })
})
