import { Count, Id, OrNull, Time, Token, text } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** One sign-in on one browser: a family of refresh tokens, stored as hashes. */
export interface SessionRecord {
  /** The session's access tokens have it as their `sid`. */
  _id: string
  userId: string
  /** Hash of the newest refresh token. */
  currentHash: string
  /** Hash of its predecessor, valid until the newest is first used; null before the first rotation. */
  previousHash: string | null
  createdAt: number
  /** Extended by each rotation. */
  expiresAt: number
  /** The user's credentialVersion when the session began. */
  credentialVersion: number
  /** "Chrome on Android", of the last use; null when unknown. */
  device: string | null
  /** The network of the last use, /24 or /48; null in sessions of older releases that were not used since. */
  network: string | null
  /** The last rotation or, before the first, the sign-in; 0 as with `network`. */
  usedAt: number
  /** When the user last proved who they are: by signing in, or when asked; 0 in sessions of older releases. */
  confirmedAt: number
}

/** What sessions of older releases lack. */
export const OLD_SESSION = {
  device: null,
  network: null,
  usedAt: 0,
  confirmedAt: 0,
} as const satisfies Partial<SessionRecord>

/** Changed by each rotation. */
export type SessionUse = Pick<SessionRecord, 'expiresAt' | 'usedAt' | 'device' | 'network'>

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

export function openSessions(sessions: Rows<SessionRecord>) {
  return {
    async create(session: SessionRecord): Promise<void> {
      await sessions.insert(session)
    },
    /** Null when it is missing, ended, or expired at `now`. */
    find: (_id: string, now: number) => sessions.find({ _id, expiresAt: { '>': now } }),
    /** The newest hundred of a user's sessions that are not expired at `now`, newest first. */
    listOf: (userId: string, now: number) =>
      sessions.list({ userId, expiresAt: { '>': now } }, { order: { createdAt: -1 }, limit: 100 }),
    /**
     * Makes `toHash` the newest and `fromHash` its predecessor, if `fromHash` is the newest. False otherwise: another
     * request rotated first, or the session is gone.
     */
    async rotate(_id: string, fromHash: string, toHash: string, use: SessionUse): Promise<boolean> {
      const set = { currentHash: toHash, previousHash: fromHash, ...use }
      return (await sessions.update({ _id, currentHash: fromHash }, set)) === 'updated'
    },
    /** False when the session is gone. */
    confirm: async (_id: string, confirmedAt: number) =>
      (await sessions.update({ _id }, { confirmedAt })) === 'updated',
    async end(_id: string): Promise<void> {
      await sessions.remove({ _id })
    },
    /** Removes expired sessions. */
    async sweep(now: number): Promise<void> {
      await sessions.remove({ expiresAt: { '<=': now } })
    },
  }
}
