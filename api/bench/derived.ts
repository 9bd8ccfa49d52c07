/** What is derived from messages, apart from the path of a message: its cost for an hour of 10,000 messages. */
import { ALERT_KIND, alertJob, createAlerts } from '../src/notifications/alerts.ts'
import { createDeriver } from '../src/reports/deriver.ts'
import { createIndexer } from '../src/search/indexer.ts'
import { newId } from '../src/storage/model/ids.ts'
import type { Storage } from '../src/storage/model/storage.ts'
import { openStores } from '../src/storage/open-storage.ts'
import { temporaryDir } from '../test/server-process.ts'
import { alternate, type Benchmark, type Figure, quantile } from './benchmark.ts'

const MESSAGES = 520
const CONVERSATIONS = 26
const HOUR = 10_000
/** The messages of such an hour, one every 0.36 s, that share a batch: it begins one or 15 seconds after the first. */
const IN_BATCH = { index: 2, figures: 40 }
/** Longer than an alert waits. */
const LATER_MS = 20_000

/** Does one kind of work after each message, or collects it for a batch. */
type Work = (storage: Storage) => Promise<(clientId: string, sent: number) => unknown>

const KINDS: Record<string, Work> = {
  async 'the search index'(storage) {
    const indexer = createIndexer({ storage, now: Date.now })
    return (clientId, sent) => {
      indexer.changed(clientId, 'conversation')
      return sent % IN_BATCH.index === 0 ? indexer.settle() : undefined
    }
  },

  async 'report figures'(storage) {
    const deriver = createDeriver({ storage, now: Date.now })
    return (clientId, sent) => {
      deriver.changed(clientId)
      return sent % IN_BATCH.figures === 0 ? deriver.settle() : undefined
    }
  },

  async "events, which share the message's commit"(storage) {
    await storage.events.begin()
    return () => {}
  },

  async 'alerts to admins without devices'(storage) {
    const now = () => Date.now() + LATER_MS
    const run = createAlerts({
      storage,
      now,
      pushToDevices: async () => ({ devices: 0, isOver: true }),
      escalation: async () => ({ afterSeconds: 60, thenMailMinutes: null }),
      isViewing: () => false,
      bounds: { mayRing: async () => true, mayMail: async () => true },
      scheduleSummary: async () => {},
      scheduleMail: null,
    })
    return async (clientId) => {
      await storage.jobs.schedule(alertJob(clientId, Date.now(), null))
      const claim = { now: now(), leaseUntil: now() + LATER_MS, limits: { [ALERT_KIND]: 5 } }
      for (const job of await storage.jobs.claim(claim)) {
        const next = await run({ job, now: now(), save: async () => {} })
        await storage.jobs.finish(job, now(), next === null ? undefined : { ...next, attempts: 0 })
      }
    }
  },
}

/** Returns the processor time of a message with this work, microseconds. */
async function costWith(work: Work): Promise<number> {
  const dir = temporaryDir('bench')
  const { storage } = await openStores({ dataDir: dir.path })
  const afterMessage = await work(storage)
  const clientIds = Array.from({ length: CONVERSATIONS }, newId)
  const from = process.cpuUsage()
  for (let sent = 1; sent <= MESSAGES; sent += 1) {
    const clientId = clientIds[sent % CONVERSATIONS] as string
    await storage.messages.append({
      clientId,
      senderId: clientId,
      message: 'A sentence of about the length that people write when they ask about their exam.',
      nonce: newId(),
      at: Date.now(),
    })
    await afterMessage(clientId, sent)
  }
  const { user, system } = process.cpuUsage(from)
  await storage.close()
  dir.remove()
  return (user + system) / MESSAGES
}

const nothing: Work = async () => () => {}

export const derived: Benchmark = {
  name: 'derived',
  async run({ quick }) {
    const sides = { '': () => costWith(nothing) } as Record<string, () => Promise<number>>
    for (const [name, work] of Object.entries(KINDS)) sides[name] = () => costWith(work)
    const costs = await alternate(quick ? 1 : 3, sides)
    const stored = quantile(costs[''] ?? [], 0.5)
    const inHour = (us: number) => `${((us * HOUR) / 1e6).toFixed(2)} s`
    return Object.keys(KINDS).map(
      (name): Figure => ({
        kind: 'figure',
        what: `${name}: processor time of an hour with ${HOUR} messages`,
        value: inHour(quantile(costs[name] ?? [], 0.5) - stored),
        against: `storing them one by one: ${inHour(stored)}`,
      }),
    )
  },
}
