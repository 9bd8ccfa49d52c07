import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { createDeriver } from '../../src/reports/deriver.ts'
import type { PlainTable } from '../../src/storage/model/plain-table.ts'
import { openReports, type ReportRepository } from '../../src/storage/model/reports/report-tables.ts'
import { collectionsOf } from '../../src/storage/mongo/collections.ts'
import { openConversations } from '../../src/storage/mongo/conversations.ts'
import { openReportReads } from '../../src/storage/mongo/reports.ts'
import { openRows } from '../../src/storage/mongo/rows.ts'
import { prepareSchema } from '../../src/storage/mongo/schema.ts'
import { createRandom } from '../faults/random.ts'
import type { Found } from './delivery.ts'
import { MemoryMongo } from './memory-mongo.ts'
import { Scheduler } from './scheduler.ts'

const STEPS = 600
const MAJORITY = { readConcern: { level: 'majority' } } as const
const T0 = Date.UTC(2026, 2, 1, 12)
const ADMIN = 'a'.repeat(24)
const VISITORS = ['Visitor0000000000001', 'Visitor0000000000002']
const CHANGES = [{ status: 'resolved' }, { labels: ['Refund'] }, { labels: [] }] as const

/**
 * Simulates report figures on MongoDB. Two nodes write, derive, and erase two conversations. They are killed between any two steps, and failovers take back
 * writes. Without a rebuild, a node that starts afterward must come to the figures that a rebuild gives.
 */
export async function simulateFigures(seed: number, { traces = false } = {}): Promise<Found> {
  const random = createRandom(seed, 'world')
  const scheduler = new Scheduler(createRandom(seed, 'order'), traces)
  const killed = new Set<string>()
  const mongo = new MemoryMongo({
    commitsApart: true,
    step: (actor, ...call) => (killed.has(actor) ? new Promise(() => {}) : scheduler.call(actor, ...call)),
  })
  let at = T0
  let count = 0
  let steps = 0

  function openNode(actor: string) {
    const db = mongo.db(actor)
    const collections = collectionsOf(db)
    const plain = <Row extends object>(table: PlainTable<Row>) => openRows(db, MAJORITY, table)
    const reports = openReports({ plain, conversations: openReportReads(collections, MAJORITY) })
    const documents = { read: async () => null } as never
    const deriver = createDeriver({ storage: { reports, documents }, now: () => at })
    return { actor, running: 0, reports, deriver, ...openConversations(collections, MAJORITY) }
  }
  type Node = ReturnType<typeof openNode>

  function act({ deriver, messages, inbox, conversations }: Node): Promise<unknown> {
    const clientId = random.pick(VISITORS)
    const kind = random.integer(0, 9)
    count += 1
    at += random.pick([1, 60, 600]) * 1_000
    if (kind < 3) {
      const senderId = random.pick([clientId, ADMIN])
      const message = { clientId, senderId, message: 'Hello', nonce: `nonce-${count}`, at }
      return messages.append(message).finally(() => deriver.changed(clientId))
    }
    if (kind < 5) {
      const by = { by: ADMIN, at }
      return inbox.change(clientId, random.pick(CHANGES), by).finally(() => deriver.changed(clientId))
    }
    if (kind < 9) return deriver.derive()
    return deriver.keepFigures(clientId, () => conversations.erase(clientId))
  }

  function kill({ actor }: Node): void {
    killed.add(actor)
    scheduler.kill(actor)
  }

  async function step(): Promise<void> {
    steps += 1
    // Without a call that waits, the code waits for a timer.
    if (!scheduler.settleOne(null)) await wait(0)
    // The deriver rests for a turn of the event loop.
    await nextTurn()
  }

  async function finished<T>(run: Promise<T>): Promise<T> {
    let isOver = false
    const end = () => {
      isOver = true
    }
    run.then(end, end)
    while (!isOver) await step()
    return run
  }

  await finished(prepareSchema(mongo.db('first')))
  const nodes = ['A', 'B'].map(openNode)
  while (steps < STEPS) {
    const index = random.integer(0, nodes.length - 1)
    const node = nodes[index] as Node
    if (node.running < 2 && random.chance(0.2)) {
      node.running += 1
      const end = () => {
        node.running -= 1
      }
      act(node).then(end, end)
    }
    if (random.chance(0.02)) {
      kill(node)
      nodes[index] = openNode(`${node.actor}'`)
    }
    if (random.chance(0.005)) {
      scheduler.note(() => 'a failover')
      mongo.failOver()
    }
    await step()
  }
  for (const node of nodes) kill(node)
  mongo.commit()
  const { reports, deriver, sweep } = openNode('last')
  const compare = async () => {
    await sweep()
    await deriver.derive()
    const found = await figuresIn(reports)
    await reports.clear()
    await deriver.derive()
    const rebuilt = await figuresIn(reports)
    return found === rebuilt ? null : `the figures are ${found}, and rebuilt ${rebuilt}`
  }
  return { violation: await finished(compare()), trace: scheduler.trace, steps }
}

/** Returns the figures of all days as text. */
async function figuresIn({ days, day }: ReportRepository): Promise<string> {
  const found = await Promise.all((await days('', 100)).map(({ day: name }) => day(name)))
  const figures = found.flatMap((each) => (each === null || each.data === '{}' ? [] : [each]))
  return JSON.stringify(figures.map(({ day: name, data }) => [name, JSON.parse(data)]))
}
