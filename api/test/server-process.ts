import { type ChildProcess, fork } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ADMIN } from './admin.ts'

const PRODUCT_ENTRY = fileURLToPath(new URL('../src/server.ts', import.meta.url))
/** What `npm start` runs. `api/tools/prepare.mjs --build` builds it. */
export const BUNDLE = fileURLToPath(new URL('../dist/server.js', import.meta.url))

/**
 * What a process of a test inherits: a developer's settings change no result. Compiled code is kept, because most of a
 * start is compiling.
 */
export const CHILD_ENV = {
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/tests', import.meta.url)),
}

const START_TIMEOUT_MS = 120_000
const POLL_MS = 20

export interface ServerProcess {
  readonly origin: string
  readonly port: number
  readonly child: ChildProcess
  /** The last 64 KB of stdout and stderr. */
  output(): string
  /** Sends the signal and waits for the end. `code` is null when the signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; ms: number }>
}

/**
 * Starts a server as a child process and waits until it answers /readyz.
 */
export async function startServer(options: {
  /** Default: the sources. */
  entry?: string
  dataDir: string
  /** Default: a free port. */
  port?: number | undefined
  env?: Record<string, string>
  args?: string[]
  execArgv?: string[]
}): Promise<ServerProcess> {
  const port = options.port ?? (await findFreePort())
  const child = fork(options.entry ?? PRODUCT_ENTRY, options.args ?? [], {
    execArgv: ['--disable-warning=ExperimentalWarning', ...(options.execArgv ?? [])],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...CHILD_ENV,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: options.dataDir,
      ADMIN_USERNAME: ADMIN.userName,
      ADMIN_PASSWORD: ADMIN.password,
      SERVE_WEB: 'false',
      SEED_DEMO: 'false',
      RATE_LIMITS: 'off',
      ...options.env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8')
    stream?.on('data', (text: string) => {
      output = (output + text).slice(-65_536)
    })
  }
  const ended = once(child, 'exit')
  const killAtExit = () => child.kill('SIGKILL')
  process.once('exit', killAtExit)
  ended.then(() => process.off('exit', killAtExit))
  const server: ServerProcess = {
    origin: `http://127.0.0.1:${port}`,
    port,
    child,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      const from = performance.now()
      if (child.exitCode === null && child.signalCode === null) {
        child.kill(signal)
        await ended
      }
      return { code: child.exitCode, ms: performance.now() - from }
    },
  }
  try {
    await untilReady(server)
  } catch (error) {
    await server.stop('SIGKILL')
    throw error
  }
  return server
}

async function untilReady(server: ServerProcess): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (performance.now() < deadline) {
    if (server.child.exitCode !== null || server.child.signalCode !== null) {
      throw new Error(`The server ended while it started:\n${server.output()}`)
    }
    const answer = await fetch(`${server.origin}/readyz`).catch(() => null)
    await answer?.arrayBuffer()
    if (answer?.status === 200) return
    await wait(POLL_MS)
  }
  throw new Error(`The server was not ready after ${START_TIMEOUT_MS} ms:\n${server.output()}`)
}

/**
 * Below the range of ports for outgoing connections: a client that connects while the server is down could otherwise
 * get the server's own port as its local port, and connect to itself.
 */
const [FIRST_PORT, LAST_PORT] = [20_000, 29_999]
/** One after another from a random one: two processes hardly ever try the same port before its server listens. */
let nextPort = randomInt(FIRST_PORT, LAST_PORT)

export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = nextPort
    nextPort = port === LAST_PORT ? FIRST_PORT : port + 1
    const probe = createServer().listen(port, '127.0.0.1')
    // Rejects with an `error` event, such as EADDRINUSE.
    const free = await once(probe, 'listening').then(
      () => true,
      () => false,
    )
    if (!free) continue
    probe.close()
    await once(probe, 'close')
    return port
  }
}

/** A new folder in the system's temporary one. */
export function temporaryDir(name: string): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), `proctorpass-${name}-`))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
