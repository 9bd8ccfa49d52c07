import Type from 'typebox'
import type { AuditRecord, AuditRepository } from '../port/audit.ts'
import { keyOfNumber, numberOf } from '../rules/audit-chain.ts'
import { Id, OrNull, Time, text } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** Characters of the JSON of the details. */
const DETAILS_MAX = 8_192
const NEWEST_FIRST = { _id: -1 } as const

export const AUDIT: PlainTable<AuditRecord> = {
  name: 'audit',
  key: '_id',
  fields: {
    _id: Type.String({ pattern: '^[0-9]{16}$' }),
    at: Time,
    by: OrNull(text(64)),
    action: Type.String({ pattern: '^[a-z.-]{1,64}$' }),
    target: OrNull(text(256)),
    details: Type.String({ maxLength: DETAILS_MAX }),
    address: OrNull(text(64)),
    hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    source: Id,
  },
  indexes: {
    by: { by: { by: 1, _id: -1 } },
    action: { by: { action: 1, _id: -1 } },
    source: { by: { source: 1 }, unique: true },
    time: { by: { at: 1, _id: 1 } },
  },
}

/** `append` stores an entry at the end of the chain. */
export function openAudit(rows: Rows<AuditRecord>, append: AuditRepository['append']): AuditRepository {
  async function first(where: { at: { '>'?: number; '>='?: number } }): Promise<AuditRecord | undefined> {
    return (await rows.list(where, { order: { at: 1, _id: 1 }, limit: 1 }))[0]
  }

  return {
    append,

    // Times never decrease along the chain, so bounds of time are bounds of numbers.
    async list({ from = 0, to, by, action, before, limit }) {
      const later = to === undefined ? undefined : (await first({ at: { '>': to } }))?._id
      const upper = [before, later].filter((id) => id !== undefined).sort()[0]
      const where = {
        ...(by !== undefined && { by }),
        ...(action !== undefined && { action }),
        ...(upper !== undefined && { _id: { '<': upper } }),
      }
      const found = await rows.list(where, { order: NEWEST_FIRST, limit })
      return found.filter(({ at }) => at >= from)
    },

    page: (after, limit) =>
      rows.list(after === null ? {} : { _id: { '>': after } }, { order: { _id: 1 }, limit }),

    async cut(before, at) {
      const [kept] = [await first({ at: { '>=': before } })]
      const [head] = await rows.list({}, { order: NEWEST_FIRST, limit: 1 })
      const [oldest] = await rows.list({}, { order: { _id: 1 }, limit: 1 })
      if (head === undefined || oldest === undefined) return 0
      const upTo = kept === undefined ? numberOf(head) : numberOf(kept) - 1
      const last = await rows.find({ _id: keyOfNumber(upTo) })
      if (last === null || upTo < numberOf(oldest)) return 0
      const details = { upTo, hash: last.hash }
      await append({ by: null, action: 'audit.cut', target: null, details, address: null, at })
      return rows.remove({ _id: { '<=': last._id } })
    },
  }
}
