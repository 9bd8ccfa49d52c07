import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { paths } from '@proctorpass/shared/paths'
import type { Page } from '@proctorpass/shared/schemas/chat'
import { openStores } from '../src/storage/open-storage.ts'
import { API_PREFIX } from '../test/chat-client.ts'
import type { Benchmark, Finding } from './benchmark.ts'
import { compareGets, getOnce, type SeededServer, withSeededServers } from './seeded-stores.ts'

const LARGE = 100_000
const SMALL = 10

/** What a visitor who has read everything asks every second. */
const poll = (seeded: SeededServer, newest: number) =>
  `${API_PREFIX}${paths.conversation(seeded.clientId)}?after=${newest}`

export const idlePoll: Benchmark = {
  name: 'idle-poll',
  run: ({ quick }) =>
    withSeededServers(
      { large: { messages: LARGE, conversations: 100 }, small: { messages: SMALL, conversations: 100 } },
      async (large, small) => {
        const newestOf = (seeded: SeededServer) => (seeded === large ? LARGE : SMALL)
        const { body } = await getOnce(large, poll(large, LARGE))
        const page = JSON.parse(body) as Page
        if (page.seq !== LARGE || page.messages.length !== 0) throw new Error(`not an idle poll: ${body}`)
        return [
          {
            kind: 'finding',
            what: 'idle poll: size of its body',
            value: `${Buffer.byteLength(body)} bytes`,
            aim: '< 200',
            met: Buffer.byteLength(body) < 200,
          },
          await planOf(large, LARGE),
          await compareGets(
            { quick, what: 'idle poll, 100,000 messages against 10', as: 'visitor' },
            large,
            small,
            (seeded) => poll(seeded, newestOf(seeded)),
          ),
        ]
      },
    ),
}

/** How SQLite answers what the store asks it during an idle poll, and during one that finds something. */
async function planOf({ dataDir, clientId }: SeededServer, newest: number): Promise<Finding> {
  const asked = new Set<string>()
  const original = { get: StatementSync.prototype.get, all: StatementSync.prototype.all }
  const recording = (ask: (...values: never[]) => unknown) =>
    function (this: StatementSync, ...values: never[]) {
      asked.add(this.sourceSQL)
      return ask.apply(this, values)
    }
  Object.assign(StatementSync.prototype, { get: recording(original.get), all: recording(original.all) })
  try {
    const { storage } = await openStores({ dataDir })
    asked.clear()
    await storage.messages.page(clientId, { after: newest, limit: 200 })
    await storage.messages.page(clientId, { after: newest - 5, limit: 200 })
    await storage.close()
  } finally {
    Object.assign(StatementSync.prototype, original)
  }

  const db = new DatabaseSync(join(dataDir, 'chat.sqlite'), { readOnly: true })
  const steps = [...asked].flatMap((sql) =>
    (db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail),
  )
  db.close()
  return {
    kind: 'finding',
    what: 'poll: plan of its queries',
    value: steps.join('; '),
    aim: 'no scan',
    met: steps.length > 0 && steps.every((step) => step.startsWith('SEARCH')),
  }
}
