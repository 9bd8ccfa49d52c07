import type { DatabaseSync } from 'node:sqlite'
import type { ReportHead, ReportRepository } from '../port/reports.ts'
import { keptFigures } from '../rules/kept-figures.ts'
import { hoursPeriods, type ReportHistory } from '../rules/report-parts.ts'
import { REPORT_TABLES } from '../tables/reports.ts'

/** Empties what is derived. */
export const CLEAR_REPORTS = Object.values(REPORT_TABLES)
  .map(({ name }) => `DELETE FROM ${name};`)
  .join(' ')

const HEAD = 'SELECT clientId, epoch, seq, activityN AS n FROM conversations'

/** What figures need of conversations. */
export function openReportReads(db: DatabaseSync): Pick<ReportRepository, 'history' | 'heads' | 'head'> {
  const history = openHistories(db)
  const sql = {
    heads: db.prepare(`${HEAD} WHERE clientId > ? ORDER BY clientId LIMIT ?`),
    head: db.prepare(`${HEAD} WHERE clientId = ?`),
  }
  return {
    history: async (clientId) => history(clientId),
    heads: async (after, limit) => sql.heads.all(after, limit) as unknown as ReportHead[],
    head: async (clientId) => (sql.head.get(clientId) as ReportHead | undefined) ?? null,
  }
}

/** In the transaction of an erase, before it: keeps the figures of the conversation, and removes what it was derived from. */
export function openFigureErasing(db: DatabaseSync): (clientId: string) => void {
  const history = openHistories(db)
  const sql = {
    settings: db.prepare("SELECT value FROM documents WHERE name = 'settings'"),
    keep: db.prepare('INSERT OR IGNORE INTO keptFigures (_id, quarter, data) VALUES (?, ?, ?)'),
    removeParts: db.prepare('DELETE FROM reportParts WHERE clientId = ?'),
    removeProgress: db.prepare('DELETE FROM reportProgress WHERE clientId = ?'),
  }
  return (clientId) => {
    const found = history(clientId)
    const settings = sql.settings.get() as { value: string } | undefined
    const periods = hoursPeriods(settings === undefined ? null : JSON.parse(settings.value))
    const kept = found === null ? [] : keptFigures(found, periods, Date.now())
    for (const { _id, quarter, data } of kept) sql.keep.run(_id, quarter, data)
    sql.removeParts.run(clientId)
    sql.removeProgress.run(clientId)
  }
}

function openHistories(db: DatabaseSync): (clientId: string) => ReportHistory | null {
  const sql = {
    conversation: db.prepare(
      `SELECT clientId, epoch, seq, activityN AS n, siteId, assigneeId, labels FROM conversations
       WHERE clientId = ? AND seq > 0`,
    ),
    messages: db.prepare('SELECT seq, senderId, createdAt FROM messages WHERE clientId = ? ORDER BY seq'),
    entries: db.prepare(
      `SELECT afterSeq, at, data ->> 'score' AS score FROM activity WHERE clientId = ?
         AND (kind = 'rating' OR kind = 'status' AND data ->> 'to' = 'resolved') ORDER BY n`,
    ),
  }
  return (clientId) => {
    const found = sql.conversation.get(clientId)
    if (found === undefined) return null
    const { siteId, assigneeId, labels, ...head } = found as unknown as Columns
    return {
      ...head,
      group: { siteId, assigneeId, labels: JSON.parse(labels) as string[] },
      messages: sql.messages.all(clientId) as unknown as ReportHistory['messages'],
      entries: sql.entries.all(clientId) as unknown as ReportHistory['entries'],
    }
  }
}

type Columns = ReportHead & { siteId: string | null; assigneeId: string | null; labels: string }
