import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { labelKey } from '@proctorpass/shared/label-key'
import {
  LISTED_STATUSES,
  STATUSES,
  type Status,
  UNRESOLVED_STATUSES,
} from '@proctorpass/shared/schemas/inbox'
import type { ConversationCursor, ConversationFilter } from '../model/conversation/conversation.ts'
import { type ConversationRow, conversationRow } from './conversation-rows.ts'

/** Each phase of the list begins after such a place. */
const FIRST_WAITING = { waitingSince: -1, clientId: '' }
const FIRST_ANSWERED = { lastAt: Number.MAX_SAFE_INTEGER, clientId: '' }

/** Reads conversations in the list's order, one row at a time, so that a full page ends the reading. */
export function openConversationList(db: DatabaseSync) {
  /**
   * Prepares both phases of one index. Each status has statements of its own, because they are open at the same time.
   * The condition and the status fix every index column that precedes the columns of the order.
   */
  const ranges = (from: string, condition: string) =>
    Object.fromEntries(
      STATUSES.map((status) => {
        const where = `${from} WHERE ${condition} AND status = '${status}'`
        return [
          status,
          {
            waiting: db.prepare(
              `${where} AND waitingSince IS NOT NULL AND (waitingSince, clientId) > (?, ?)
               ORDER BY waitingSince, clientId`,
            ),
            answered: db.prepare(
              `${where} AND waitingSince IS NULL AND lastAt <= ? AND (lastAt < ? OR clientId > ?)
               ORDER BY lastAt DESC, clientId`,
            ),
          },
        ]
      }),
    ) as Record<Status, { waiting: StatementSync; answered: StatementSync }>
  const conversations = 'SELECT * FROM conversations'
  const byStatus = ranges(conversations, 'true')
  const byAssignee = ranges(conversations, 'assigneeId IS ?')
  const bySite = ranges(conversations, 'siteId IS ?')
  const byUnread = ranges(`${conversations} INDEXED BY conversations_unread`, 'adminUnread > 0')
  // This index has only the IDs, so each row is read by its key.
  const byLabel = ranges('SELECT clientId FROM conversation_labels', 'labelKey = ?')
  const byId = db.prepare('SELECT * FROM conversations WHERE clientId = ?')
  const byExam = db.prepare(
    `SELECT conversations.* FROM visitors CROSS JOIN conversations ON conversations.clientId = visitors.clientId
     WHERE examAt BETWEEN ? AND ? AND (examAt, visitors.clientId) > (?, ?) ORDER BY examAt, visitors.clientId`,
  )

  /** Returns the index that a filter reads, and the values for the placeholders in its condition. */
  function indexFor({ label, assigneeId, siteId, unread }: ConversationFilter) {
    if (label !== undefined) return { index: byLabel, values: [labelKey(label)] }
    if (assigneeId !== undefined) return { index: byAssignee, values: [assigneeId] }
    if (siteId !== undefined) return { index: bySite, values: [siteId] }
    return { index: unread ? byUnread : byStatus, values: [] }
  }

  function* byOrder(
    filter: ConversationFilter,
    after: ConversationCursor | undefined,
  ): Iterable<ConversationRow> {
    const { index, values } = indexFor(filter)
    const toRow = (found: unknown) =>
      conversationRow(index === byLabel ? byId.get((found as { clientId: string }).clientId) : found)
    const statuses = [...new Set(filter.statuses ?? LISTED_STATUSES)]
    if (after === undefined || after.waitingSince !== null) {
      const { waitingSince, clientId } = after ?? FIRST_WAITING
      const sources = statuses.map((status) =>
        index[status].waiting.iterate(...values, waitingSince, clientId),
      )
      yield* merged(sources, toRow, (a, b) => (a.waitingSince as number) - (b.waitingSince as number))
    }
    const { lastAt, clientId } = after?.waitingSince === null ? after : FIRST_ANSWERED
    const sources = statuses.map((status) =>
      index[status].answered.iterate(...values, lastAt, lastAt, clientId),
    )
    yield* merged(sources, toRow, (a, b) => b.lastAt - a.lastAt)
  }

  function* byExamTime(
    { exam }: ConversationFilter,
    after: ConversationCursor | undefined,
  ): Iterable<ConversationRow> {
    const { from, to } = exam as NonNullable<ConversationFilter['exam']>
    const [examAt, clientId] = after?.examAt === undefined ? [from, ''] : [after.examAt, after.clientId]
    for (const row of byExam.iterate(from, to, examAt, clientId)) {
      const conversation = conversationRow(row)
      if ((UNRESOLVED_STATUSES as readonly Status[]).includes(conversation.status)) yield conversation
    }
  }

  return function* rows(
    filter: ConversationFilter,
    after: ConversationCursor | undefined,
  ): Iterable<ConversationRow> {
    const found = filter.exam === undefined ? byOrder(filter, after) : byExamTime(filter, after)
    for (const row of found) if (row.seq > 0 && matches(row, filter)) yield row
  }
}

/** Checks a row against the filter, because the index decided only a part of it. */
function matches(
  row: ConversationRow,
  { statuses, assigneeId, label, siteId, unread }: ConversationFilter,
): boolean {
  if (statuses !== undefined && !(statuses as readonly Status[]).includes(row.status)) return false
  if (assigneeId !== undefined && row.assigneeId !== assigneeId) return false
  if (siteId !== undefined && row.siteId !== siteId) return false
  if (unread && row.adminUnread === 0) return false
  return label === undefined || row.labels.some((each) => labelKey(each) === labelKey(label))
}

/** Merges sorted sources. Rows with the same time are ordered by clientId. */
function* merged(
  sources: Iterable<unknown>[],
  toRow: (found: unknown) => ConversationRow,
  byTime: (a: ConversationRow, b: ConversationRow) => number,
): Iterable<ConversationRow> {
  const iterators = sources.map((source) => source[Symbol.iterator]())
  const next = (iterator: Iterator<unknown>) => {
    const { value, done } = iterator.next()
    return done ? null : toRow(value)
  }
  try {
    const heads = iterators.map(next)
    for (;;) {
      let first = -1
      for (const [index, row] of heads.entries()) {
        const best = heads[first]
        if (
          row !== null &&
          (best == null || (byTime(row, best) || (row.clientId < best.clientId ? -1 : 1)) < 0)
        ) {
          first = index
        }
      }
      const row = heads[first]
      if (row == null) return
      yield row
      heads[first] = next(iterators[first] as Iterator<unknown>)
    }
  } finally {
    // An open statement would keep reading from an old snapshot.
    for (const iterator of iterators) iterator.return?.()
  }
}
