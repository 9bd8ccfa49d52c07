import Type from 'typebox'
import type {
  KeptFigures,
  ReportDay,
  ReportMark,
  ReportPartRow,
  ReportProgress,
  ReportRepository,
} from '../port/reports.ts'
import { ClientId, Count, Hash, TimeOrNull, Token } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

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

/** Derived: copies leave them out, and an erase removes what they have of the conversation. */
export const REPORT_TABLES = {
  reportProgress: REPORT_PROGRESS,
  reportParts: REPORT_PARTS,
  reportDays: REPORT_DAYS,
} as const

interface Tables {
  plain: <Row extends object>(table: PlainTable<Row>) => Rows<Row>
  /** What each adapter reads of conversations. */
  conversations: Pick<ReportRepository, 'history' | 'heads' | 'head'>
}

export function openReports({ plain, conversations }: Tables): ReportRepository {
  const progress = plain(REPORT_PROGRESS)
  const parts = plain(REPORT_PARTS)
  const days = plain(REPORT_DAYS)
  const kept = plain(KEPT_FIGURES)
  return {
    ...conversations,

    progress: (after, last) =>
      progress.list(
        { clientId: { '>': after, ...(last !== null && { '<=': last }) } },
        { order: { clientId: 1 } },
      ),
    due: (now, limit) => progress.list({ dueAt: { '<=': now } }, { order: { dueAt: 1 }, limit }),
    async setProgress(row) {
      const { clientId, ...set } = row
      if ((await progress.update({ clientId }, set)) === 'missing') await progress.insert(row)
    },
    async forget(clientId) {
      await parts.remove({ clientId })
      await progress.remove({ clientId })
    },

    partsOf: (clientId) => parts.list({ clientId }, { order: { quarter: 1 } }),
    parts: (from, until, { offset, limit }) =>
      parts.list({ quarter: { '>=': from, '<': until } }, { order: { quarter: 1, _id: 1 }, offset, limit }),
    partsIn: (quarter) => parts.list({ quarter }, { order: { quarter: 1, _id: 1 } }),
    async putPart(row, isStored) {
      const { _id, epoch, data } = row
      // Another process may have been first.
      if (!isStored && (await parts.insert(row))) return
      if ((await parts.update({ _id }, { epoch, data })) === 'missing') await parts.insert(row)
    },
    async removePart({ _id, epoch }) {
      await parts.remove({ _id, epoch })
    },

    days: (from, limit) =>
      days.list({ day: { '>=': from } }, { order: { day: 1 }, limit, only: ['day', 'revision'] }),
    day: (day) => days.find({ day }),
    async mark(day) {
      const [found] = await days.list({ day }, { order: { day: 1 }, limit: 1, only: MARK })
      return found ?? null
    },
    dirtyDays: (limit) => days.list({ dirtyCount: { '>': 0 } }, { order: { dirtyCount: 1 }, limit }),
    async setDay(row, revision) {
      if (revision === null) return days.insert({ data: '{}', ...row })
      const { day, ...set } = row
      return (await days.update({ day, revision }, set)) === 'updated'
    },

    keptIn: (quarter) => kept.list({ quarter }, { order: { quarter: 1, _id: 1 } }),
    kept: (offset, limit) => kept.list({}, { order: { quarter: 1, _id: 1 }, offset, limit }),

    async purge() {},

    async clear() {
      await progress.remove({ clientId: { '>': '' } })
      await parts.remove({ _id: { '>': '' } })
      await days.remove({ day: { '>': '' } })
    },
  }
}
