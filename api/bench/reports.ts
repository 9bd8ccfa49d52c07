import { adminPaths } from '@proctorpass/shared/admin-paths'
import { createDeriver } from '../src/reports/deriver.ts'
import { openStores } from '../src/storage/open-storage.ts'
import { API_PREFIX, newId } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import { alternate, type Benchmark, type Comparison, type Finding } from './benchmark.ts'
import { type CopiedConversation, fillWithCopies } from './copied-stores.ts'
import { compareGets, withSeededServers } from './seeded-stores.ts'

const MESSAGES_EACH = 10
/** A million messages against a thousand. */
const LARGE = { conversations: 100_000 }
const SMALL = { conversations: 100 }
const QUICK = { conversations: 2_000 }
const RANGES = [7, 90, 400]
const DAYS = Math.max(...RANGES)
const DAY_MS = 24 * 60 * 60 * 1_000
const MINUTE_MS = 60_000
/** Of a report of 90 days. */
const LIMIT_MS = 50
const ADMINS = ['1', '2', '3', '4'].map((digit) => digit.repeat(24))
const LABELS = [[], ['Refund'], ['Camera'], ['Refund', 'Camera']]
/** Messages that are stored to measure what their figures cost. */
const STORED = 4_000
const AT_ONCE = 40

/** Conversations over all of the days, with their figures. */
async function fillWithFigures(dataDir: string, { conversations }: typeof LARGE): Promise<string> {
  const from = Date.now() - DAYS * DAY_MS
  const first = await fillWithCopies(dataDir, conversations, (clientId, index) =>
    conversation(clientId, index, from + (index / conversations) * DAYS * DAY_MS),
  )
  const { storage } = await openStores({ dataDir })
  await createDeriver({ storage, now: Date.now }).derive()
  await storage.close()
  return first
}

/** The visitor asks and waits, a little longer in each conversation. */
function conversation(clientId: string, index: number, start: number): CopiedConversation {
  const admin = ADMINS[index % ADMINS.length] as string
  return {
    messages: Array.from({ length: MESSAGES_EACH }, (_, at) => ({
      senderId: at % 2 === 0 ? clientId : admin,
      createdAt: Math.floor(start + (at * MINUTE_MS) / 4 + (index % 600) * 1_000 * (at % 2)),
      message: 'A sentence of about the length that people write when they ask about their exam.',
    })),
    chat: { assigneeId: admin, labels: LABELS[Math.floor(index / ADMINS.length) % LABELS.length] ?? [] },
  }
}

/** Reports at constant cost: of a thousand times as many messages. */
export const reports: Benchmark = {
  name: 'reports',
  run: async ({ quick }) => [await costOfFigures(quick), ...(await costOfReports(quick))],
}

function costOfReports(quick: boolean): Promise<(Comparison | Finding)[]> {
  const size = quick ? QUICK : LARGE
  return withSeededServers(
    { large: size, small: SMALL },
    async (large, small) => {
      const count = (size.conversations * MESSAGES_EACH).toLocaleString('en')
      const results: (Comparison | Finding)[] = []
      for (const days of RANGES) {
        const query = new URLSearchParams({
          from: dayBefore(days - 1),
          to: dayBefore(0),
          zone: 'Europe/Zurich',
        })
        const path = `${API_PREFIX}${adminPaths.reports}?${query}`
        const what = `a report of ${days} days, ${count} messages against 1,000`
        const rounds = quick ? 20 : 60
        const compared = await compareGets(
          { quick, what, as: 'admin', rounds, atMost: 1.5 },
          large,
          small,
          () => path,
        )
        results.push(compared)
        if (days !== 90) continue
        const slowest = Math.max(...compared.subject)
        results.push({
          kind: 'finding',
          what: `the slowest of these medians, 90 days of ${count} messages`,
          value: `${slowest.toFixed(1)} ms`,
          aim: `<= ${LIMIT_MS} ms`,
          met: slowest <= LIMIT_MS,
        })
      }
      return results
    },
    fillWithFigures,
  )
}

/** Storing messages and deriving their figures, against storing them alone. */
async function costOfFigures(quick: boolean): Promise<Comparison> {
  const messages = quick ? STORED / 10 : STORED
  const measure = async (derives: boolean) => {
    const dir = temporaryDir('bench')
    const { storage } = await openStores({ dataDir: dir.path })
    const deriver = createDeriver({ storage, now: Date.now })
    const clientIds = Array.from({ length: AT_ONCE }, newId)
    const { user, system } = process.cpuUsage()
    for (let turn = 0; turn < messages / AT_ONCE; turn += 1) {
      await Promise.all(
        clientIds.map((clientId, index) =>
          storage.messages.append({
            clientId,
            senderId: turn % 2 === 0 ? clientId : (ADMINS[index % ADMINS.length] as string),
            message: 'A sentence of about the length that people write when they ask about their exam.',
            nonce: newId(),
            at: Date.now(),
          }),
        ),
      )
      // A server derives them a second after a change, or later under load.
      if (derives && turn % 2 === 1) await deriver.derive()
    }
    const used = process.cpuUsage({ user, system })
    await storage.close()
    dir.remove()
    return (used.user + used.system) / messages
  }
  const { subject, reference } = await alternate(quick ? 2 : 5, {
    subject: () => measure(true),
    reference: () => measure(false),
  })
  const what = 'processor time of storing a message and deriving its figures, against storing it'
  return { kind: 'comparison', what, unit: 'µs', subject, reference }
}

function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
}
