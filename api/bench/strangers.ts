import { join } from 'node:path'
import { newId } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import { type Benchmark, startMeasured } from './benchmark.ts'
import { leftOut } from './servers.ts'
import {
  BENIGN,
  inParallel,
  LONGEST_MESSAGE,
  MESSAGES,
  messageOf,
  type Run,
  withServer,
} from './stranger-calls.ts'
import { diskGrowth, pageBytes, uncached, unreadConnections } from './stranger-requests.ts'
import { refusedUpgrades, typing } from './stranger-sockets.ts'

const CONVERSATIONS = 120

/** What one address costs the server and the others with limits on, beside what the same server costs without it. */
export const strangers: Benchmark = {
  name: 'strangers',
  onlyByName: true,
  async run({ quick, server }) {
    if (process.platform !== 'linux')
      return leftOut('strangers', 'it needs the addresses of 127.0.0.0/8 (Linux)')
    const dir = temporaryDir('bench')
    const entry = server === undefined ? {} : { entry: join(server, 'api/src/server.ts') }
    const run: Run = {
      quick,
      dataDir: dir.path,
      start: (env = {}) => startMeasured({ dataDir: dir.path, ...entry, env: { RATE_LIMITS: 'on', ...env } }),
    }
    try {
      const ids = await seed(run)
      return [
        ...(await pageBytes(run, ids)),
        ...(await unreadConnections(run, ids)),
        ...(await typing(run)),
        ...(await diskGrowth(run)),
        ...(await uncached(run)),
        ...(await refusedUpgrades(run)),
      ]
    } finally {
      dir.remove()
    }
  },
}

/** Conversations of the largest messages, written before any limit counts. */
async function seed({ quick, start }: Run): Promise<string[]> {
  const ids = Array.from({ length: quick ? 12 : CONVERSATIONS }, () => newId())
  await withServer(start({ RATE_LIMITS: 'off' }), async (server) => {
    const queue = ids.flatMap((id) => Array.from({ length: MESSAGES }, () => id))
    await inParallel(16, BENIGN, async (call) => {
      for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
        const { status } = await call(server, messageOf(id, LONGEST_MESSAGE))
        if (status !== 201) throw new Error(`seeding: ${status}`)
      }
    })
  })
  return ids
}
