import { fieldError } from '@proctorpass/shared/errors'
import { AUDIT_PAGE_MAX } from '@proctorpass/shared/limits'
import type { AuditEntry, AuditFilter, AuditPage, AuditQuery } from '@proctorpass/shared/schemas/audit'
import type { Jobs } from '../jobs/jobs.ts'
import { type AuditRecord, keyOfNumber, numberOf } from '../storage/model/audit.ts'
import type { Storage } from '../storage/model/storage.ts'
import { csvRow } from './csv.ts'
import { type Actor, auditEntry } from './entry.ts'

const CUT_JOB = 'audit-cut'
const CUT_EVERY_MS = 60 * 60 * 1_000
const DAY_MS = 24 * 60 * 60 * 1_000
const PAGE_DEFAULT = 50
const COLUMNS = ['n', 'at', 'by', 'action', 'target', 'details', 'address', 'hash'] as const

interface AuditDeps {
  storage: Pick<Storage, 'audit'>
  jobs: Pick<Jobs, 'handle' | 'scheduleLater'>
  /** How many days entries are kept. */
  days: number
  /** Returns milliseconds since 1970 UTC. */
  now: () => number
}

/** Reads the audit log, and removes old entries. Use cases write entries with `withEntry`. */
export function createAudit({ storage: { audit }, jobs, days, now }: AuditDeps) {
  jobs.handle(CUT_JOB, async ({ now: at }) => {
    await audit.cut(at - days * DAY_MS, at)
    return { dueAt: at + CUT_EVERY_MS, data: null }
  })

  async function* rows(filter: ReturnType<typeof rangeOf>): AsyncIterable<string> {
    yield csvRow(COLUMNS)
    for (let before: string | undefined; ; ) {
      const found = await audit.list({ ...filter, before, limit: AUDIT_PAGE_MAX })
      yield found.map((record) => csvRow(cellsOf(toEntry(record)))).join('')
      const last = found.at(-1)
      if (last === undefined || found.length < AUDIT_PAGE_MAX) return
      before = last._id
    }
  }

  return {
    /** Lists entries, newest first. Throws an AppError `invalid-input` for a time that does not exist. */
    async list({ cursor, limit = PAGE_DEFAULT, ...filter }: AuditQuery): Promise<AuditPage> {
      const before = cursor === undefined ? undefined : keyOfNumber(Number(cursor))
      const found = await audit.list({ ...rangeOf(filter), before, limit: limit + 1 })
      const entries = found.slice(0, limit).map(toEntry)
      return { entries, next: found.length > limit ? String(entries.at(-1)?.n) : null }
    },

    /** Returns all entries as CSV, newest first, in parts. The call adds an entry itself. Throws as `list` does. */
    async csv(actor: Actor, filter: AuditFilter): Promise<AsyncIterable<string>> {
      const range = rangeOf(filter)
      await audit.append(auditEntry(actor, 'audit.exported', { details: filter }))
      return rows(range)
    },

    /** Starts to remove old entries every hour, on one node at a time. */
    start(): void {
      jobs.scheduleLater({ key: CUT_JOB, kind: CUT_JOB, clientId: null, dueAt: now(), data: null })
    },
  }
}

export type Audit = ReturnType<typeof createAudit>

function rangeOf({ from, to, ...filter }: AuditFilter) {
  return { ...filter, from: timeOf('from', from), to: timeOf('to', to) }
}

function timeOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw fieldError(field, 'This time does not exist')
  return time
}

function toEntry(record: AuditRecord): AuditEntry {
  const { at, by, action, target, details, address, hash } = record
  return {
    ...{ n: numberOf(record), at: new Date(at).toISOString(), by, action, target },
    ...{ details: JSON.parse(details), address, hash },
  }
}

function cellsOf(entry: AuditEntry): (string | number | null)[] {
  return COLUMNS.map((column) => (column === 'details' ? JSON.stringify(entry.details) : entry[column]))
}
