import { keptFigures, keptWithoutFigures } from '../model/reports/report-figures.ts'
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
import { type Collections, type ConversationDoc, inboxOf } from './collections.ts'
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
      if (found === null) return null
      const { activityN = 0 } = found
      return historyOf(collections, clientId, { ...found, activityN, group: groupOf(found) }, majority)
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
 * Reads a history, or null if it has no messages. Messages are ahead of the conversation if a process died between the
 * writes. Entries that are stored during the reading are left out, because the group is older.
 */
async function historyOf(
  { messages, activity }: Collections,
  clientId: string,
  {
    epoch,
    group,
    activityN = Number.MAX_SAFE_INTEGER,
    pendingActivity = [],
  }: { epoch: string; group: ReportGroup } & Partial<Pick<ConversationDoc, 'activityN' | 'pendingActivity'>>,
  majority: MongoConnection['majority'] = {},
): Promise<ReportHistory | null> {
  const projection = { _id: 0, seq: 1, senderId: 1, createdAt: 1 }
  // The driver reads a batch at a time, because a conversation can be long.
  const found = await messages
    .find({ clientId, epoch }, { ...majority, projection, batchSize: 1_000 })
    .sort({ seq: 1 })
    .toArray()
  if (found.length === 0) return null
  const stored = await activity
    .find({ clientId, epoch, n: { $lte: activityN } }, majority)
    .sort({ n: 1 })
    .toArray()
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

/**
 * Keeps an erased history's figures before its messages are removed. `quarters` are those of its parts. Repeating it
 * changes nothing. Its parts go first, so that no sum has both and looks complete. The progress of a derivation that is
 * under way stays, so that parts which it still writes are found.
 */
export async function keepFigures(
  collections: Collections,
  clientId: string,
  erased: readonly { epoch: string; group: ReportGroup; quarters?: number[] }[],
): Promise<void> {
  const { documents, keptFigures: collection, reportParts, reportProgress } = collections
  const settings = await documents.findOne({ _id: 'settings' })
  const periods = hoursPeriods(settings === null ? null : JSON.parse(settings.value))
  const epochs = erased.map(({ epoch }) => epoch)
  await reportParts.deleteMany({ clientId, epoch: { $in: epochs } })
  await reportProgress.deleteMany({ _id: clientId, epoch: { $in: epochs } })
  for (const { quarters = [], ...history } of erased) {
    const found = await historyOf(collections, clientId, history)
    const kept = found === null ? [] : keptFigures(found, periods, Date.now())
    for (const figures of [...kept, ...keptWithoutFigures(history.epoch, quarters, kept)]) {
      const document = plainDocument(KEPT_FIGURES, figures) as unknown as KeptFigures
      await insertNew(collection.insertOne(document))
    }
  }
}

/** Removes all derived figures. */
export async function clearReports(collections: Collections, options = {}): Promise<void> {
  for (const name of Object.keys(REPORT_TABLES) as (keyof typeof REPORT_TABLES)[]) {
    await collections[name].deleteMany({}, options)
  }
}
