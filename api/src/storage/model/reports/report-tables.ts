import Type from 'typebox'
import { ClientId, Count, Hash, TimeOrNull, Token } from '../bounds.ts'
import type { PlainTable, Rows } from '../plain-table.ts'
import type { ReportHistory } from './report-parts.ts'

/**
 * The extent to which a conversation is in its parts. While a derivation writes parts, `epoch` is a token of its own, and
 * `seq` and `n` are 0.
 */
export interface ReportProgress {
  clientId: string
  epoch: string
  seq: number
  n: number
  /**
   * The time at which the parts change without a new message, see `reportParts`, or null. During a derivation, the time
   * by which its writes have ended, even if its process has died.
   */
  dueAt: number | null
}

/** What one conversation adds to one quarter-hour. */
export interface ReportPartRow {
  /** The ID, `{clientId} {quarter}`. */
  _id: string
  clientId: string
  epoch: string
  /** The quarter-hour, counted since 1970 UTC. */
  quarter: number
  /** `{ group: ReportGroup, part: ReportPart }` as JSON. */
  data: string
}

/** The figures of a UTC day: the sums of its parts and of the kept figures. */
export interface ReportDay {
  /** The day as `YYYY-MM-DD`. */
  day: string
  /** A random text that each change replaces. */
  revision: string
  /** The quarter-hours whose sums are out of date, separated by spaces. `dirtyCount` is their number. */
  dirty: string
  dirtyCount: number
  /** `DayFigures` as JSON. */
  data: string
}

/** A day without its sums. */
export type ReportMark = Omit<ReportDay, 'data'>

/** What an erased conversation added to one quarter-hour. It names no conversation and no visitor. */
export interface KeptFigures {
  /** A hash of the erased epoch and the quarter-hour, so that a repeated erase keeps the figures once. */
  _id: string
  quarter: number
  /** `GroupFigures` as JSON. */
  data: string
}

/** The part of a conversation with which progress is compared. `seq` is 0 without messages. */
export type ReportHead = Pick<ReportProgress, 'clientId' | 'epoch' | 'seq' | 'n'>

const Data = Type.String({ maxLength: 8 * 1_024 * 1_024 })

export const KEPT_FIGURES: PlainTable<KeptFigures> = {
  name: 'keptFigures',
  key: '_id',
  fields: { _id: Hash, quarter: Count, data: Type.String({ maxLength: 64 * 1_024 }) },
  indexes: { quarter: { by: { quarter: 1, _id: 1 } } },
}

const REPORT_PROGRESS: PlainTable<ReportProgress> = {
  name: 'reportProgress',
  key: 'clientId',
  fields: { clientId: ClientId, epoch: Token, seq: Count, n: Count, dueAt: TimeOrNull },
  indexes: { due: { by: { dueAt: 1 } } },
}

const REPORT_PARTS: PlainTable<ReportPartRow> = {
  name: 'reportParts',
  key: '_id',
  fields: { _id: Type.String(), clientId: ClientId, epoch: Token, quarter: Count, data: Data },
  indexes: { client: { by: { clientId: 1, quarter: 1 } }, quarter: { by: { quarter: 1, _id: 1 } } },
}

const REPORT_DAYS: PlainTable<ReportDay> = {
  name: 'reportDays',
  key: 'day',
  fields: {
    day: Type.String({ pattern: String.raw`^\d{4,6}-\d\d-\d\d$` }),
    revision: Token,
    dirty: Data,
    dirtyCount: Count,
    data: Data,
  },
  indexes: { dirty: { by: { dirtyCount: 1 } } },
}

const MARK: (keyof ReportMark)[] = ['day', 'revision', 'dirty', 'dirtyCount']

/** Derived tables. Copies leave them out, and an erase removes their rows about the conversation. */
export const REPORT_TABLES = {
  reportProgress: REPORT_PROGRESS,
  reportParts: REPORT_PARTS,
  reportDays: REPORT_DAYS,
} as const

/** The reads of conversations that each adapter implements. */
export interface ReportedConversations {
  /** Resolves to null without messages. */
  history(clientId: string): Promise<ReportHistory | null>
  /** Lists the heads after the ID `after`, in the order of their IDs. */
  heads(after: string, limit: number): Promise<ReportHead[]>
  head(clientId: string): Promise<ReportHead | null>
}

interface Tables {
  plain: <Row extends object>(table: PlainTable<Row>) => Rows<Row>
  conversations: ReportedConversations
}

/**
 * Opens the figures of reports, which are derived from messages and logs. Copies leave them out, except kept figures,
 * which `ConversationRepository.erase` stores.
 */
export function openReports({ plain, conversations }: Tables) {
  const progress = plain(REPORT_PROGRESS)
  const parts = plain(REPORT_PARTS)
  const days = plain(REPORT_DAYS)
  const kept = plain(KEPT_FIGURES)
  return {
    ...conversations,

    /** Lists progress for the IDs after `after` and, unless it is null, up to `last`. */
    progress: (after: string, last: string | null) =>
      progress.list(
        { clientId: { '>': after, ...(last !== null && { '<=': last }) } },
        { order: { clientId: 1 } },
      ),
    due: (now: number, limit: number) =>
      progress.list({ dueAt: { '<=': now } }, { order: { dueAt: 1 }, limit }),
    progressOf: (clientId: string) => progress.find({ clientId }, { fromPrimary: true }),
    /** Replaces `before` (null for none). The write itself checks that it is stored. */
    async setProgress(row: ReportProgress, before: ReportProgress | null): Promise<boolean> {
      if (before === null) return progress.insert(row)
      const { clientId, ...set } = row
      const { epoch, seq, n } = before
      return (await progress.update({ clientId, epoch, seq, n }, set)) === 'updated'
    },
    async removeProgress({ clientId, epoch, seq, n }: ReportProgress): Promise<boolean> {
      return (await progress.remove({ clientId, epoch, seq, n })) > 0
    },

    /** Lists a conversation's parts in the order of their IDs, after the ID `after`. */
    partsOf: (
      clientId: string,
      { after = `${clientId} `, limit }: { after?: string | undefined; limit?: number } = {},
    ) =>
      parts.list(
        { _id: { '>': after, '<': `${clientId}!` } },
        { order: { _id: 1 }, fromPrimary: true, ...(limit !== undefined && { limit }) },
      ),
    async quartersOf(clientId: string): Promise<number[]> {
      const rows = await parts.list(
        { clientId },
        { order: { quarter: 1 }, fromPrimary: true, only: ['quarter'] },
      )
      return rows.map(({ quarter }) => quarter)
    },
    /** Lists the parts in a range of quarter-hours, in their order. `until` is excluded. */
    parts: (from: number, until: number, { offset, limit }: { offset: number; limit: number }) =>
      parts.list({ quarter: { '>=': from, '<': until } }, { order: { quarter: 1, _id: 1 }, offset, limit }),
    partsIn: (quarter: number) =>
      parts.list({ quarter }, { order: { quarter: 1, _id: 1 }, fromPrimary: true }),
    /** Stores a part. `isStored` says whether it already has a row. */
    async putPart(row: ReportPartRow, isStored: boolean): Promise<void> {
      const { _id, epoch, data } = row
      // Another process may have inserted the row first.
      if (!isStored && (await parts.insert(row))) return
      if ((await parts.update({ _id }, { epoch, data })) === 'missing') await parts.insert(row)
    },
    async removePart({ _id, epoch }: Pick<ReportPartRow, '_id' | 'epoch'>): Promise<void> {
      await parts.remove({ _id, epoch })
    },

    /** Lists `limit` days from a day on, in their order. */
    days: (from: string, limit: number): Promise<Pick<ReportDay, 'day' | 'revision'>[]> =>
      days.list({ day: { '>=': from } }, { order: { day: 1 }, limit, only: ['day', 'revision'] }),
    day: (day: string) => days.find({ day }),
    async mark(day: string): Promise<ReportMark | null> {
      const [found] = await days.list({ day }, { order: { day: 1 }, limit: 1, only: MARK })
      return found ?? null
    },
    dirtyDays: (limit: number) => days.list({ dirtyCount: { '>': 0 } }, { order: { dirtyCount: 1 }, limit }),
    /**
     * Stores a day, but only while `revision` is stored (null for none). The write itself checks this. A mark keeps the
     * sums.
     */
    async setDay(row: ReportDay | ReportMark, revision: string | null): Promise<boolean> {
      if (revision === null) return days.insert({ data: '{}', ...row })
      const { day, ...set } = row
      return (await days.update({ day, revision }, set)) === 'updated'
    },

    keptIn: (quarter: number) => kept.list({ quarter }, { order: { quarter: 1, _id: 1 }, fromPrimary: true }),
    /** Lists the kept figures from a quarter-hour on, in the order of their quarter-hours. */
    kept: (from: number, { offset = 0, limit }: { offset?: number; limit: number }) =>
      kept.list({ quarter: { '>=': from } }, { order: { quarter: 1, _id: 1 }, offset, limit }),

    /**
     * Removes copies of old rows, for example in a write-ahead log. Call it once no row has an erased conversation's
     * labels.
     */
    async purge(): Promise<void> {},

    /** Removes everything derived, which can be derived again. */
    async clear(): Promise<void> {
      await progress.remove({ clientId: { '>': '' } })
      await parts.remove({ _id: { '>': '' } })
      await days.remove({ day: { '>': '' } })
    },
  }
}

export type ReportRepository = ReturnType<typeof openReports>
