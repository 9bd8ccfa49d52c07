import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  isCurrent,
  keptFigures,
  keptFiguresOfParts,
  keptWithoutFigures,
} from '../model/reports/report-figures.ts'
import { hoursPeriods, logForReport, type ReportHistory } from '../model/reports/report-parts.ts'
import {
  type KeptFigures,
  REPORT_TABLES,
  type ReportedConversations,
  type ReportHead,
  type ReportPartRow,
  type ReportProgress,
} from '../model/reports/report-tables.ts'
import { type ActivityRow, toActivity } from './inbox-rows.ts'

/** Removes all derived figures. */
export const CLEAR_REPORTS = Object.values(REPORT_TABLES)
  .map(({ name }) => `DELETE FROM ${name};`)
  .join(' ')

/** The messages that are read at once, which takes about a millisecond. */
const PAGE = 1_000

const HEAD = 'SELECT clientId, epoch, seq, activityN AS n FROM conversations'

/** Opens the reads of conversations from which figures are derived. */
export function openReportReads(db: DatabaseSync): ReportedConversations {
  const { history } = openHistories(db)
  const sql = {
    heads: db.prepare(`${HEAD} WHERE clientId > ? ORDER BY clientId LIMIT ?`),
    head: db.prepare(`${HEAD} WHERE clientId = ?`),
  }
  return {
    history,
    heads: async (after, limit) => sql.heads.all(after, limit) as unknown as ReportHead[],
    head: async (clientId) => (sql.head.get(clientId) as ReportHead | undefined) ?? null,
  }
}

/** The parts whose figures are made at once, which takes a few milliseconds. */
const KEPT_AT_ONCE = 100
/** SQLite's `LIMIT` for all rows. */
const ALL = -1

/** Figures that were made before an erase, and the progress of the parts from which they were made. */
interface PreparedFigures {
  progress: ReportProgress
  kept: KeptFigures[]
}

/**
 * Opens what an erase does with a conversation's figures: it keeps them, and removes the derived rows. A long conversation
 * has thousands of parts, so `prepare` makes what is kept in slices before the erase's transaction, and `keep`, which runs
 * in that transaction before the messages are deleted, stores it. If the conversation or its parts have changed in
 * between, `keep` makes it again.
 */
export function openFigureErasing(db: DatabaseSync) {
  const { historyNow } = openHistories(db)
  const sql = {
    settings: db.prepare("SELECT value FROM documents WHERE name = 'settings'"),
    keep: db.prepare('INSERT OR IGNORE INTO keptFigures (_id, quarter, data) VALUES (?, ?, ?)'),
    head: db.prepare(`${HEAD} WHERE clientId = ?`),
    progress: db.prepare('SELECT clientId, epoch, seq, n, dueAt FROM reportProgress WHERE clientId = ?'),
    parts: db.prepare(
      `SELECT _id, clientId, epoch, quarter, data FROM reportParts
       WHERE clientId = ? AND epoch = ? AND _id > ? ORDER BY _id LIMIT ?`,
    ),
    removeParts: db.prepare('DELETE FROM reportParts WHERE clientId = ?'),
    // A derivation that is under way keeps its progress, by which the parts that it still writes are found.
    removeProgress: db.prepare('DELETE FROM reportProgress WHERE clientId = ? AND seq > 0'),
  }
  const headOf = (clientId: string) => sql.head.get(clientId) as ReportHead | undefined
  const partsOf = ({ clientId, epoch }: ReportHead, after = '', limit = ALL) =>
    sql.parts.all(clientId, epoch, after, limit) as unknown as ReportPartRow[]

  /** Returns the progress if the parts cover the whole conversation. */
  function currentProgress(head: ReportHead): ReportProgress | undefined {
    const progress = sql.progress.get(head.clientId) as ReportProgress | undefined
    return progress !== undefined && isCurrent(head, progress, Date.now()) ? progress : undefined
  }

  function keptOf(head: ReportHead, prepared: PreparedFigures | null): KeptFigures[] {
    const progress = currentProgress(head)
    if (progress !== undefined) {
      return prepared !== null && isDeepStrictEqual(progress, prepared.progress)
        ? prepared.kept
        : keptFiguresOfParts(partsOf(head))
    }
    const parts = partsOf(head)
    const history = historyNow(head.clientId)
    const settings = sql.settings.get() as { value: string } | undefined
    const periods = hoursPeriods(settings === undefined ? null : JSON.parse(settings.value))
    const kept = history === null ? [] : keptFigures(history, periods, Date.now())
    const quarters = parts.map(({ quarter }) => quarter)
    return [...kept, ...keptWithoutFigures(head.epoch, quarters, kept)]
  }

  return {
    /** Resolves to null if the parts do not cover the whole conversation. */
    async prepare(clientId: string): Promise<PreparedFigures | null> {
      const head = headOf(clientId)
      const progress = head && currentProgress(head)
      if (head === undefined || progress === undefined) return null
      const kept: KeptFigures[] = []
      for (let after: string | undefined; ; ) {
        const page = partsOf(head, after, KEPT_AT_ONCE)
        kept.push(...keptFiguresOfParts(page))
        if (page.length < KEPT_AT_ONCE) return { progress, kept }
        after = page.at(-1)?._id
        await nextTurn()
      }
    },

    keep(clientId: string, prepared: PreparedFigures | null): void {
      const head = headOf(clientId)
      const kept = head === undefined ? [] : keptOf(head, prepared)
      for (const { _id, quarter, data } of kept) sql.keep.run(_id, quarter, data)
      sql.removeParts.run(clientId)
      sql.removeProgress.run(clientId)
    },
  }
}

function openHistories(db: DatabaseSync) {
  const sql = {
    conversation: db.prepare(
      `SELECT clientId, epoch, seq, activityN AS n, siteId, assigneeId, labels FROM conversations
       WHERE clientId = ? AND seq > 0`,
    ),
    messages: db.prepare(
      'SELECT seq, senderId, createdAt FROM messages WHERE clientId = ? AND seq > ? AND seq <= ? ORDER BY seq',
    ),
    entries: db.prepare(
      `SELECT * FROM activity WHERE clientId = ? AND n <= ? AND kind IN ('rating', 'status', 'settled') ORDER BY n`,
    ),
  }
  const headOf = (clientId: string) => sql.conversation.get(clientId) as Columns | undefined
  const messagesOf = (clientId: string, after: number, last: number) =>
    sql.messages.all(clientId, after, last) as unknown as ReportHistory['messages']
  const historyOf = (
    { siteId, assigneeId, labels, ...head }: Columns,
    messages: ReportHistory['messages'],
  ): ReportHistory => ({
    ...head,
    group: { siteId, assigneeId, labels: JSON.parse(labels) as string[] },
    messages,
    ...logForReport((sql.entries.all(head.clientId, head.n) as unknown as ActivityRow[]).map(toActivity)),
  })

  return {
    historyNow(clientId: string): ReportHistory | null {
      const head = headOf(clientId)
      return head === undefined ? null : historyOf(head, messagesOf(clientId, 0, head.seq))
    },

    /** Reads the messages page by page, because a conversation can be long. */
    async history(clientId: string): Promise<ReportHistory | null> {
      for (;;) {
        const head = headOf(clientId)
        if (head === undefined) return null
        const pages = [messagesOf(clientId, 0, Math.min(PAGE, head.seq))]
        for (let after = PAGE; after < head.seq; after += PAGE) {
          await nextTurn()
          pages.push(messagesOf(clientId, after, Math.min(after + PAGE, head.seq)))
        }
        // A conversation that was erased during the reading may have begun again, and then its pages do not fit together.
        if (headOf(clientId)?.epoch === head.epoch) return historyOf(head, pages.flat())
      }
    },
  }
}

type Columns = ReportHead & { siteId: string | null; assigneeId: string | null; labels: string }
