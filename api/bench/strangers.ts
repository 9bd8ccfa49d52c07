import { join } from 'node:path'
import { newId } from '../test/chat-client.ts'
import { BUNDLE, temporaryDir } from '../test/server-process.ts'
import { type Benchmark, leftOut, type Result, startMeasured } from './benchmark.ts'
import {
  BENIGN,
  inParallel,
  LONGEST_MESSAGE,
  MESSAGES,
  messageOf,
  type Run,
  withServer,
} from './stranger-calls.ts'
import { pictures, slowUploads, unsentFiles } from './stranger-files.ts'
import { notifications } from './stranger-notifications.ts'
import { logGrowth, missingPosts, newKeys } from './stranger-repeats.ts'
import { diskGrowth, pageBytes, uncached, unreadConnections } from './stranger-requests.ts'
import { routeCosts } from './stranger-routes.ts'
import { searchIndex } from './stranger-search.ts'
import { refusedUpgrades, typing } from './stranger-sockets.ts'

const CONVERSATIONS = 120
/** As `npm start` does it. */
const AS_STARTED = { MALLOC_MMAP_THRESHOLD_: '262144' }

const SCENES: Record<string, (run: Run) => Promise<Result[]>> = {
  pages: async (run) => {
    const ids = await seed(run)
    return [...(await pageBytes(run, ids)), ...(await unreadConnections(run, ids))]
  },
  typing,
  disk: diskGrowth,
  uncached,
  upgrades: refusedUpgrades,
  keys: newKeys,
  posts: missingPosts,
  log: logGrowth,
  search: searchIndex,
  notifications,
  slow: slowUploads,
  pictures,
  unsent: unsentFiles,
  routes: routeCosts,
}

/** What one address costs the server and the others with limits on, beside what the same server costs without it. */
export const strangers: Benchmark[] = Object.entries(SCENES).map(([scene, measure]) => ({
  name: `strangers/${scene}`,
  onlyByName: true,
  async run({ quick, server }) {
    if (process.platform !== 'linux')
      return leftOut('strangers', 'it needs the addresses of 127.0.0.0/8 (Linux)')
    const dir = temporaryDir('bench')
    const entry = server === undefined ? BUNDLE : join(server, 'api/src/server.ts')
    try {
      return await measure({
        quick,
        dataDir: dir.path,
        start: (env = {}) =>
          startMeasured({ dataDir: dir.path, entry, env: { ...AS_STARTED, RATE_LIMITS: 'on', ...env } }),
      })
    } finally {
      dir.remove()
    }
  },
}))

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
