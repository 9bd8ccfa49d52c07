import type { ReportHistory } from '../rules/report-parts.ts'

/** How much of a conversation its parts have. */
export interface ReportProgress {
  clientId: string
  epoch: string
  seq: number
  n: number
  /** When its parts change without a new message, see `reportParts`; null: never. */
  dueAt: number | null
}

/** What one conversation adds to one quarter-hour. */
export interface ReportPartRow {
  /** `{clientId} {quarter}` */
  _id: string
  clientId: string
  epoch: string
  /** Quarter-hours since 1970 UTC. */
  quarter: number
  /** JSON: `{ group: ReportGroup, part: ReportPart }` */
  data: string
}

/** The figures of a day of UTC: the sums of its parts and of the figures of erased conversations. */
export interface ReportDay {
  /** `YYYY-MM-DD` */
  day: string
  /** Random, another one after each change. */
  revision: string
  /** The quarter-hours whose sums are old, separated by spaces, and how many they are. */
  dirty: string
  dirtyCount: number
  /** JSON: `DayFigures` */
  data: string
}

/** A day without its sums. */
export type ReportMark = Omit<ReportDay, 'data'>

/** What an erased conversation added to one quarter-hour. Names no conversation and no visitor. */
export interface KeptFigures {
  /** A hash of the erased epoch and the quarter-hour, so that repeating an erase keeps them once. */
  _id: string
  quarter: number
  /** JSON: `GroupFigures` */
  data: string
}

/** A conversation as far as progress is compared with it. Without messages `seq` is 0. */
export type ReportHead = Pick<ReportProgress, 'clientId' | 'epoch' | 'seq' | 'n'>

/**
 * Figures of reports, derived from messages and logs: copies leave them out, except those of erased conversations,
 * which `ConversationRepository.erase` stores.
 */
export interface ReportRepository {
  /** Null without messages. */
  history(clientId: string): Promise<ReportHistory | null>
  /** In order of the ids, those behind `after`. */
  heads(after: string, limit: number): Promise<ReportHead[]>
  head(clientId: string): Promise<ReportHead | null>

  /** Those of the ids behind `after`, up to `last` unless it is null. */
  progress(after: string, last: string | null): Promise<ReportProgress[]>
  due(now: number, limit: number): Promise<ReportProgress[]>
  setProgress(progress: ReportProgress): Promise<void>
  /** With its parts. */
  forget(clientId: string): Promise<void>

  partsOf(clientId: string): Promise<ReportPartRow[]>
  /** Those in a range of quarter-hours, `until` excluded, in their order. */
  parts(from: number, until: number, page: { offset: number; limit: number }): Promise<ReportPartRow[]>
  partsIn(quarter: number): Promise<ReportPartRow[]>
  /** `isStored`: whether there is a row of it. */
  putPart(part: ReportPartRow, isStored: boolean): Promise<void>
  removePart(part: Pick<ReportPartRow, '_id' | 'epoch'>): Promise<void>

  /** In order of the days, `limit` from the first one on. */
  days(from: string, limit: number): Promise<Pick<ReportDay, 'day' | 'revision'>[]>
  day(day: string): Promise<ReportDay | null>
  mark(day: string): Promise<ReportMark | null>
  dirtyDays(limit: number): Promise<ReportDay[]>
  /** Stores a day, only while `revision` is stored (null: none), judged by the write itself. A mark leaves the sums. */
  setDay(day: ReportDay | ReportMark, revision: string | null): Promise<boolean>

  keptIn(quarter: number): Promise<KeptFigures[]>
  /** In order of their quarter-hours. */
  kept(offset: number, limit: number): Promise<KeptFigures[]>

  /** Removes copies of old rows, such as those in a write-ahead log. Call once no row has labels of an erased conversation. */
  purge(): Promise<void>
  /** Removes all that is derived, which can be derived again. */
  clear(): Promise<void>
}
