import { Count, Id, OrNull, Time, Token, text } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** One sign-in on one browser: a family of refresh tokens, stored as hashes. */
export interface SessionRecord {
  /** The ID, which the session's access tokens have as their `sid`. */
  _id: string
  userId: string
  /** The newest refresh token's hash. */
  currentHash: string
  /**
   * The hash of the previous refresh token, which is valid until the newest is first used. Null before the first
   * rotation.
   */
  previousHash: string | null
  createdAt: number
  /** The end of the session. Each rotation extends it. */
  expiresAt: number
  /** The user's credentialVersion when the session began. */
  credentialVersion: number
  /** The device at the last use, such as "Chrome on Android". Null when unknown. */
  device: string | null
  /** The network (/24 or /48) at the last use. Null in older releases' sessions that were not used since. */
  network: string | null
  /** The time of the last rotation or, before the first one, of the sign-in. 0 where `network` is null. */
  usedAt: number
  /** The time of the user's last confirmation. 0 in sessions from older releases. */
  confirmedAt: number
}

/** Defaults for the fields that sessions from older releases lack. */
export const OLD_SESSION = {
  device: null,
  network: null,
  usedAt: 0,
  confirmedAt: 0,
} as const satisfies Partial<SessionRecord>

/** The fields that each rotation changes. */
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
    /** Returns null when the session is missing, has ended, or has expired at `now`. */
    find: (_id: string, now: number) => sessions.find({ _id, expiresAt: { '>': now } }),
    /** Lists a user's newest hundred sessions that have not expired at `now`, the newest first. */
    listOf: (userId: string, now: number) =>
      sessions.list({ userId, expiresAt: { '>': now } }, { order: { createdAt: -1 }, limit: 100 }),
    /**
     * Makes `toHash` the newest hash and `fromHash` its predecessor, if `fromHash` is the newest. Otherwise returns
     * false: another request rotated first, or the session is gone.
     */
    async rotate(_id: string, fromHash: string, toHash: string, use: SessionUse): Promise<boolean> {
      const set = { currentHash: toHash, previousHash: fromHash, ...use }
      return (await sessions.update({ _id, currentHash: fromHash }, set)) === 'updated'
    },
    /** Stores the time of a confirmation. Returns false when the session is gone. */
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
