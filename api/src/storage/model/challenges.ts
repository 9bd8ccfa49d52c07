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

export function openChallenges(challenges: Rows<ChallengeRecord>) {
  const find = (_id: string, now: number) => challenges.find({ _id, expiresAt: { '>': now } })
  return {
    /** Replaces one with the same id, and removes those of the store that have expired at `now`. */
    async put(challenge: ChallengeRecord, now: number): Promise<void> {
      await challenges.remove({ _id: challenge._id })
      await challenges.remove({ expiresAt: { '<=': now } })
      await challenges.insert(challenge)
    },
    /** Null when it is missing, or expired at `now`. */
    find,
    /** Does what `find` does, and removes it: of two callers at once, one gets it. */
    async take(_id: string, now: number): Promise<ChallengeRecord | null> {
      const found = await find(_id, now)
      return found !== null && (await challenges.remove({ _id })) === 1 ? found : null
    },
  }
}
