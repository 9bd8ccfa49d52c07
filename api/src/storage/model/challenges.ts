import { Count, Hash, Id, OrNull, Time, Token } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A question that one browser or session has to answer, such as the second step of a sign-in. */
export interface ChallengeRecord {
  /** Hash of what the caller has to show. */
  _id: string
  /** Null: any user may answer. */
  userId: string | null
  /** Hash of what only the browser or the session that was asked has. */
  boundTo: string
  /** The user's credentialVersion when the challenge was made; 0 without a user. */
  credentialVersion: number
  /** A sealed secret that is not the user's yet; null for none. */
  sealed: string | null
  expiresAt: number
}

export interface ChallengeRepository {
  /** Replaces one with the same id, and removes those of the store that have expired at `now`. */
  put(challenge: ChallengeRecord, now: number): Promise<void>
  /** Null when it is missing, or expired at `now`. */
  find(id: string, now: number): Promise<ChallengeRecord | null>
  /** As `find`, and removes it: of two callers at once, one gets it. */
  take(id: string, now: number): Promise<ChallengeRecord | null>
}

export const CHALLENGES: PlainTable<ChallengeRecord> = {
  name: 'challenges',
  key: '_id',
  fields: {
    _id: Hash,
    userId: OrNull(Id),
    boundTo: Hash,
    credentialVersion: Count,
    sealed: OrNull(Token),
    expiresAt: Time,
  },
  indexes: { expiry: { by: { expiresAt: 1 } } },
}

export function openChallenges(challenges: Rows<ChallengeRecord>): ChallengeRepository {
  const find = (_id: string, now: number) => challenges.find({ _id, expiresAt: { '>': now } })
  return {
    async put(challenge, now) {
      await challenges.remove({ _id: challenge._id })
      await challenges.remove({ expiresAt: { '<=': now } })
      await challenges.insert(challenge)
    },
    find,
    async take(_id, now) {
      const found = await find(_id, now)
      return found !== null && (await challenges.remove({ _id })) === 1 ? found : null
    },
  }
}
