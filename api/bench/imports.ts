import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { openStores, type StoreLocation } from '../src/storage/open-storage.ts'
import { createRandom } from '../test/faults/random.ts'
import { CHILD_ENV, temporaryDir } from '../test/server-process.ts'
import { findServers } from '../test/servers/find-servers.ts'
import { freshDatabase } from '../test/servers/test-database.ts'
import { type Benchmark, type Finding, leftOut } from './benchmark.ts'

const MESSAGES = { full: 100_000, quick: 2_000 }
const MINUTES_MAX = 10
const WORDS = [
  'lantern',
  'harbor',
  'ticket',
  'receipt',
  'route',
  'engine',
  'garden',
  'window',
  'river',
  'signal',
]

/** Imports a generated file of Chatwoot's conversations into each store, and again, which adds nothing. */
export const imports: Benchmark = {
  name: 'imports',
  onlyByName: true,
  async run({ quick }) {
    const dir = temporaryDir('imports')
    const servers = await findServers()
    try {
      const file = join(dir.path, 'export.jsonl')
      const messages = quick ? MESSAGES.quick : MESSAGES.full
      await writeExport(file, messages)
      const results = await imported('SQLite', { dataDir: join(dir.path, 'sqlite') }, file, messages)
      if (servers.mongo === null)
        return [...results, ...leftOut('imports on MongoDB', 'there is no MongoDB server')]
      const mongodbUrl = freshDatabase(servers.mongo)
      const place = { dataDir: join(dir.path, 'mongodb'), mongodbUrl }
      return [...results, ...(await imported(servers.mongo.name, place, file, messages))]
    } finally {
      await servers.close()
      dir.remove()
    }
  },
}

async function imported(
  store: string,
  place: StoreLocation,
  file: string,
  messages: number,
): Promise<Finding[]> {
  await (await openStores(place)).storage.close()
  const first = await runOnce(place, file)
  const second = await runOnce(place, file)
  const rate = Math.round(messages / first.seconds)
  return [
    {
      kind: 'finding',
      what: `${messages} messages into ${store}`,
      value: `${first.seconds.toFixed(0)} s, ${rate} messages a second, ${first.megabytes} MB of memory`,
      aim: `<= ${MINUTES_MAX} min`,
      met: first.seconds <= MINUTES_MAX * 60,
    },
    {
      kind: 'finding',
      what: `the same file again into ${store}`,
      value: `${second.seconds.toFixed(0)} s, ${second.added} messages added`,
      aim: '0 messages',
      met: second.added === 0,
    },
  ]
}

async function runOnce({ dataDir, mongodbUrl = '' }: StoreLocation, file: string) {
  const from = performance.now()
  const tool = join(import.meta.dirname, '../tools/import.ts')
  // The last line of the output tells the largest memory of the process.
  const usage = `process.on('exit', () => console.log('\\n' + process.resourceUsage().maxRSS))`
  const argv = ['--import', `data:text/javascript,${encodeURIComponent(usage)}`, tool]
  const child = spawn(process.execPath, [...argv, '--from', 'chatwoot', '--json', file], {
    env: { ...CHILD_ENV, DATA_DIR: dataDir, MONGODB_URL: mongodbUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
  })
  await once(child, 'close')
  const lines = output.trim().split('\n')
  const seconds = (performance.now() - from) / 1_000
  const { messages, notes } = JSON.parse(lines[0] ?? '') as { messages: number; notes: number }
  return { seconds, added: messages + notes, megabytes: Math.round(Number(lines.at(-1)) / 1_024) }
}

/** Writes conversations with 2 to 19 messages of about 100 characters, from five years and in no order. */
async function writeExport(file: string, messages: number): Promise<void> {
  const random = createRandom(44, 'imports')
  const out = createWriteStream(file)
  const numbers = Array.from({ length: 1_000 }, (_, index) => index)
  for (let id = 1, conversation = 1; id <= messages; conversation += 1) {
    let at = 1_600_000_000 + random.pick(numbers) * 160_000
    const size = Math.min(2 + (random.pick(numbers) % 18), messages - id + 1)
    const listed = Array.from({ length: size }, (_, index) => {
      at += random.pick(numbers)
      const content = Array.from({ length: 14 }, () => `${random.pick(WORDS)}${random.pick(numbers)}`).join(
        ' ',
      )
      const sender = index % 2 === 0 ? {} : { name: `Agent ${index}` }
      return {
        id: id + index,
        content,
        message_type: index % 2,
        content_type: 'text',
        created_at: at,
        sender,
      }
    })
    id += size
    const sender = {
      id: conversation,
      name: `Person ${conversation}`,
      email: `p${conversation}@visitors.example`,
    }
    const line = JSON.stringify({ id: conversation, status: 'resolved', meta: { sender }, messages: listed })
    if (!out.write(`${line}\n`)) await once(out, 'drain')
  }
  out.end()
  await finished(out)
}
