import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import { API_PREFIX, signInAsAdmin } from '../test/chat-client.ts'
import { BUNDLE, CHILD_ENV, startServer, temporaryDir } from '../test/server-process.ts'
import { alternate, type Benchmark, type Result, startProduct } from './benchmark.ts'
import { CONVERSATIONS, copyDay, copyToSchema, fillDay, MESSAGES_EACH, RARE_WORD } from './big-store-fill.ts'
import { gather } from './hub-load.ts'
import { steadily, VISITORS } from './latency.ts'
import { compareGets, type SeededServer } from './seeded-stores.ts'

const DAYS = 300
const QUICK_DAYS = 10
/** Of the store that is backed up. A backup is one pass over the rows, so its speed does not depend on their number. */
const BACKUP_DAYS = 30
/** The schema version of 1.0.0. */
const OLD_VERSION = 25
const BACKUP = fileURLToPath(new URL('../tools/backup.ts', import.meta.url))
const WINDOW_MS = 3_000

/** A store of five million messages: starting, reading, backing up, and upgrading it. A small store has a day of it. */
export const bigStore: Benchmark = {
  name: 'big-store',
  onlyByName: true,
  async run({ quick }) {
    const days = quick ? QUICK_DAYS : DAYS
    const folder = temporaryDir('bench')
    const dirs = ['large', 'small', 'medium', 'old'].map((name) => join(folder.path, name))
    const [large, small, medium, old] = dirs as [string, string, string, string]
    for (const dir of dirs) mkdirSync(dir)
    try {
      const clientId = await fillDay(small)
      copyDay(small, large, days)
      copyDay(small, medium, quick ? QUICK_DAYS : BACKUP_DAYS)
      const bytes = statSync(join(large, 'chat.sqlite')).size
      const amount = `${(days * CONVERSATIONS * MESSAGES_EACH).toLocaleString('en')} messages (${(bytes / 1e9).toFixed(1)} GB)`
      copyToSchema(large, old, OLD_VERSION)
      const upgraded = await secondsToStart(old)
      rmSync(old, { recursive: true })
      const starts = await alternate(quick ? 1 : 3, {
        subject: () => secondsToStart(large),
        reference: () => secondsToStart(small),
      })
      return [
        {
          kind: 'figure',
          what: `upgrading ${amount} from version ${OLD_VERSION} until it answers`,
          value: `${upgraded.toFixed(1)} s`,
          against: '',
        },
        {
          kind: 'comparison',
          what: `kill -9 and start until it answers, ${amount} against ${CONVERSATIONS * MESSAGES_EACH}`,
          unit: 's',
          ...starts,
          aim: { atMost: 1.3 },
        },
        {
          kind: 'finding',
          what: 'the slowest of these starts',
          value: `${Math.max(...starts.subject).toFixed(2)} s`,
          aim: '<= 2 s',
          met: Math.max(...starts.subject) <= 2,
        },
        ...(await served(quick, clientId, large, small)),
        ...(await backedUp(quick, medium)),
      ]
    } finally {
      folder.remove()
    }
  },
}

async function secondsToStart(dataDir: string): Promise<number> {
  const from = performance.now()
  const server = await startServer({ dataDir, entry: BUNDLE })
  const seconds = (performance.now() - from) / 1_000
  await server.stop('SIGKILL')
  return seconds
}

async function served(
  quick: boolean,
  clientId: string,
  largeDir: string,
  smallDir: string,
): Promise<Result[]> {
  const seeded = async (dataDir: string): Promise<SeededServer> => {
    const server = await startProduct(dataDir)
    return { server, dataDir, clientId, token: (await signInAsAdmin(server.origin)).accessToken }
  }
  const large = await seeded(largeDir)
  const small = await seeded(smallDir)
  try {
    const compare = (what: string, path: string) =>
      compareGets({ quick, what, as: 'admin', rounds: 100 }, large, small, () => API_PREFIX + path)
    const search = (q: string) => `${adminPaths.search}?${new URLSearchParams({ q })}`
    return [
      await compare('a page of 50 open conversations', `${paths.chat}?limit=50&status=open`),
      await compare('the counts of the tabs', adminPaths.chatCounts),
      await compare('the unread count', adminPaths.unreadCount),
      await compare('opening a conversation', `${adminPaths.adminConversation(clientId)}?limit=100`),
      await compare('search: a common word', search('exam')),
      await compare('search: a rare word', search(RARE_WORD)),
      await compare('search: a phrase', search('"the camera"')),
    ]
  } finally {
    for (const { server } of [large, small]) await server.stop('SIGKILL')
  }
}

/** Messages are sent at a steady rate, first alone and then while a backup is written. */
async function backedUp(quick: boolean, dataDir: string): Promise<Result[]> {
  const server = await startProduct(dataDir)
  const crowd = await gather(server, VISITORS, async () => (await signInAsAdmin(server.origin)).accessToken)
  const file = join(dataDir, 'bench.backup')
  const window = async () => (await steadily(crowd, WINDOW_MS)).p99
  try {
    await window()
    const reference: number[] = []
    for (let index = 0; index < (quick ? 1 : 3); index++) reference.push(await window())
    const from = performance.now()
    const child = spawn(process.execPath, [BACKUP, file], {
      env: { ...CHILD_ENV, DATA_DIR: dataDir },
      stdio: 'ignore',
    })
    let seconds = 0
    child.once('close', () => {
      seconds = (performance.now() - from) / 1_000
    })
    const during: number[] = []
    while (seconds === 0) during.push(await window())
    if (child.exitCode !== 0) throw new Error(`the backup ended with ${child.exitCode}`)
    const after = await window()
    const megabytes = statSync(join(dataDir, 'chat.sqlite')).size / 1e6
    const speed = megabytes / seconds
    return [
      {
        kind: 'finding',
        what: `backup while ${VISITORS} visitors write 500 messages a second`,
        value: `${speed.toFixed(0)} MB/s, ${seconds.toFixed(1)} s, ${(statSync(file).size / 1e6).toFixed(0)} MB written`,
        aim: '>= 100 MB/s',
        met: speed >= 100,
      },
      {
        kind: 'comparison',
        what: 'acknowledgement p99 during the backup against before it',
        unit: 'ms',
        subject: during,
        reference: during.map((_, index) => reference[index % reference.length] as number),
        aim: { atMost: 1.3 },
      },
      {
        kind: 'figure',
        what: 'the same in the seconds after the backup',
        value: `${after.toFixed(1)} ms`,
        against: '',
      },
    ]
  } finally {
    crowd.close()
    await server.stop('SIGKILL')
  }
}
