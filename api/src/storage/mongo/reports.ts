import { keptFigures } from '../model/reports/report-figures.ts'
import {
  hoursPeriods,
  logForReport,
  type ReportGroup,
  type ReportHistory,
} from '../model/reports/report-parts.ts'
import {
  KEPT_FIGURES,
  type KeptFigures,
  REPORT_TABLES,
  type ReportedConversations,
} from '../model/reports/report-tables.ts'
import { type ActivityDoc, type Collections, type ConversationDoc, inboxOf } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { insertNew } from './outage.ts'
import { plainDocument } from './rows.ts'

const HEAD = { projection: { epoch: 1, seq: 1, activityN: 1 } }

/** Opens the reads of conversations from which figures are derived. */
export function openReportReads(
  collections: Collections,
  majority: MongoConnection['majority'],
): ReportedConversations {
  const { conversations } = collections
  const headOf = ({ _id, epoch, seq, activityN = 0 }: ConversationDoc) => ({
    ...{ clientId: _id, epoch, seq, n: activityN },
  })
  return {
    async history(clientId) {
      const found = await conversations.findOne({ _id: clientId }, majority)
      return found === null ? null : historyOf(collections, clientId, { ...found, group: groupOf(found) })
    },
    async heads(after, limit) {
      const found = conversations.find({ _id: { $gt: after } }, { ...majority, ...HEAD })
      return (await found.sort({ _id: 1 }).limit(limit).toArray()).map(headOf)
    },
    async head(clientId) {
      const found = await conversations.findOne({ _id: clientId }, { ...majority, ...HEAD })
      return found === null ? null : headOf(found)
    },
  }
}

export function groupOf(found: ConversationDoc): ReportGroup {
  const { assigneeId, labels } = inboxOf(found)
  return { siteId: found.siteId ?? null, assigneeId, labels }
}

/**
 * Reads a history, or null if it has no messages. Messages and entries are ahead of the conversation if a process died
 * between the writes.
 */
async function historyOf(
  { messages, activity }: Collections,
  clientId: string,
  {
    epoch,
    group,
    pendingActivity = [],
  }: { epoch: string; group: ReportGroup; pendingActivity?: ActivityDoc[] },
): Promise<ReportHistory | null> {
  const projection = { _id: 0, seq: 1, senderId: 1, createdAt: 1 }
  // The driver reads a batch at a time, because a conversation can be long.
  const found = await messages
    .find({ clientId, epoch }, { projection, batchSize: 1_000 })
    .sort({ seq: 1 })
    .toArray()
  if (found.length === 0) return null
  const stored = await activity.find({ clientId, epoch }).sort({ n: 1 }).toArray()
  const entries = [...new Map([...stored, ...pendingActivity].map((entry) => [entry.n, entry])).values()]
  return {
    clientId,
    epoch,
    seq: found.at(-1)?.seq ?? 0,
    n: entries.at(-1)?.n ?? 0,
    group,
    messages: found,
    ...logForReport(entries),
  }
}

/** Keeps an erased history's figures before its messages are removed. Repeating it changes nothing. */
export async function keepFigures(
  collections: Collections,
  clientId: string,
  erased: readonly { epoch: string; group: ReportGroup; pendingActivity?: ActivityDoc[] }[],
): Promise<void> {
  const { documents, keptFigures: collection, reportParts, reportProgress } = collections
  const settings = await documents.findOne({ _id: 'settings' })
  const periods = hoursPeriods(settings === null ? null : JSON.parse(settings.value))
  for (const history of erased) {
    const found = await historyOf(collections, clientId, history)
    const kept = found === null ? [] : keptFigures(found, periods, Date.now())
    for (const figures of kept) {
      const document = plainDocument(KEPT_FIGURES, figures) as unknown as KeptFigures
      await insertNew(collection.insertOne(document))
    }
  }
  const epochs = erased.map(({ epoch }) => epoch)
  await reportParts.deleteMany({ clientId, epoch: { $in: epochs } })
  await reportProgress.deleteMany({ _id: clientId, epoch: { $in: epochs } })
}

/** Removes all derived figures. */
export async function clearReports(collections: Collections, options = {}): Promise<void> {
  for (const name of Object.keys(REPORT_TABLES) as (keyof typeof REPORT_TABLES)[]) {
    await collections[name].deleteMany({}, options)
  }
}
