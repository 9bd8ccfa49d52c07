import { OLD_SESSION, type SessionRecord } from '../port/records.ts'
import type { SessionRepository } from '../port/sessions.ts'
import { Count, Id, OrNull, Time, Token, text } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

export const SESSIONS: PlainTable<SessionRecord> = {
  name: 'sessions',
  key: '_id',
  fields: {
    _id: Id,
    userId: Id,
    currentHash: Token,
    previousHash: OrNull(Token),
    createdAt: Time,
    expiresAt: Time,
    credentialVersion: Count,
    device: OrNull(text(100)),
    network: OrNull(text(100)),
    usedAt: Time,
    confirmedAt: Time,
  },
  missing: { credentialVersion: 0, ...OLD_SESSION },
  indexes: { user: { by: { userId: 1, createdAt: -1 } }, expiry: { by: { expiresAt: 1 } } },
}

export function openSessions(sessions: Rows<SessionRecord>): SessionRepository {
  return {
    async create(session) {
      await sessions.insert(session)
    },
    find: (_id, now) => sessions.find({ _id, expiresAt: { '>': now } }),
    listOf: (userId, now) =>
      sessions.list({ userId, expiresAt: { '>': now } }, { order: { createdAt: -1 }, limit: 100 }),
    async rotate(_id, fromHash, toHash, use) {
      const set = { currentHash: toHash, previousHash: fromHash, ...use }
      return (await sessions.update({ _id, currentHash: fromHash }, set)) === 'updated'
    },
    confirm: async (_id, confirmedAt) => (await sessions.update({ _id }, { confirmedAt })) === 'updated',
    async end(_id) {
      await sessions.remove({ _id })
    },
    async sweep(now) {
      await sessions.remove({ expiresAt: { '<=': now } })
    },
  }
}
