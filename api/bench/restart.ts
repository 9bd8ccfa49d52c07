import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { BUNDLE, findFreePort, startServer, temporaryDir } from '../test/server-process.ts'
import { AS_STARTED, alternate, type Benchmark, leftOut } from './benchmark.ts'

const ROOT = join(import.meta.dirname, '../..')
const BARE_SERVER = fileURLToPath(new URL('./bare-server.mjs', import.meta.url))

/** As `npm start` sets it. A password for the first admin would be compared by each start, which costs 19 MB. */
const ENVIRONMENT = {
  ADMIN_PASSWORD: '',
  SERVE_WEB: 'true',
  ...AS_STARTED,
  NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/start'),
}
const POLL_MS = 5
/** V8 gives memory back that a start needed only for itself. */
const REST_MS = 10_000
/** The clock of /proc, 1/100 s on every Linux that Node supports. */
const TICK_MS = 10

/** Seconds from `npm start` in a folder to its first 200 at /readyz. Then everything is killed. */
async function npmStart(folder: string, dataDir: string): Promise<number> {
  const port = await findFreePort()
  const from = performance.now()
  const child = spawn('npm', ['start'], {
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      HOST: '127.0.0.1',
      PORT: String(port),
      DATA_DIR: dataDir,
    },
  })
  const ended = once(child, 'exit')
  try {
    while ((await statusOf(port)) !== 200) {
      if (child.exitCode !== null) throw new Error(`npm start in ${folder} ended with ${child.exitCode}`)
      await wait(POLL_MS)
    }
    return (performance.now() - from) / 1000
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    await ended
  }
}

function statusOf(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).on('error', () => resolve(undefined))
  })
}

/** Processor time of a server until it is ready, and its memory after a rest. */
async function startAndRest(entry: string, dataDir: string, restMs: number) {
  const server = await startServer({ entry, dataDir, env: entry === BUNDLE ? ENVIRONMENT : {} })
  try {
    const stat = readFileSync(`/proc/${server.child.pid}/stat`, 'utf8')
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number)
    await wait(restMs)
    const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8')
    const resident = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
    return { cpu: (user + system) * TICK_MS, resident: (resident * 1024) / 1e6 }
  } finally {
    await server.stop('SIGKILL')
  }
}

export const restart: Benchmark = {
  name: 'restart',
  async run({ quick }) {
    if (process.platform !== 'linux') return leftOut('restart', 'it reads /proc')
    const dir = temporaryDir('bench')
    const bareDir = temporaryDir('bench')
    const start = `exec '${process.execPath}' '${BARE_SERVER}'`
    writeFileSync(join(bareDir.path, 'package.json'), JSON.stringify({ scripts: { start } }))
    try {
      const seconds = await alternate(quick ? 1 : 9, {
        subject: () => npmStart(ROOT, dir.path),
        reference: () => npmStart(bareDir.path, bareDir.path),
      })
      const rest = quick ? 1_000 : REST_MS
      const { subject, reference } = await alternate(quick ? 1 : 5, {
        subject: () => startAndRest(BUNDLE, dir.path, rest),
        reference: () => startAndRest(BARE_SERVER, bareDir.path, rest),
      })
      const compare = (what: string, unit: string, of: 'cpu' | 'resident', atMost: number) => ({
        kind: 'comparison' as const,
        what,
        unit,
        subject: subject.map((slice) => slice[of]),
        reference: reference.map((slice) => slice[of]),
        aim: { atMost },
      })
      return [
        {
          kind: 'comparison',
          what: 'npm start after kill -9, until it answers',
          unit: 's',
          ...seconds,
          aim: { atMost: 2 },
        },
        compare('processor time of the server until then', 'ms', 'cpu', 2),
        compare('memory of an idle server, resident', 'MB', 'resident', 1.2),
      ]
    } finally {
      dir.remove()
      bareDir.remove()
    }
  },
}
