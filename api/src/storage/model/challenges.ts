import { Count, Hash, Id, OrNull, Time, Token } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A question that one browser or session has to answer, such as the second step of a sign-in. */
export interface ChallengeRecord {
  /** The hash of what the caller must show. */
  _id: string
  /** The user who must answer. Null when any user may answer. */
  userId: string | null
  /** The hash of what only the asked browser or session has. */
  boundTo: string
  /** The user's credentialVersion when the challenge was made. 0 without a user. */
  credentialVersion: number
  /** A sealed secret that does not belong to the user yet, or null. */
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
    /** Stores a challenge, and replaces one with the same ID. Removes the challenges that have expired at `now`. */
    async put(challenge: ChallengeRecord, now: number): Promise<void> {
      await challenges.remove({ _id: challenge._id })
      await challenges.remove({ expiresAt: { '<=': now } })
      await challenges.insert(challenge)
    },
    /** Returns null when the challenge is missing or has expired at `now`. */
    find,
    /** Does what `find` does, and removes the challenge. Only one of two concurrent callers gets it. */
    async take(_id: string, now: number): Promise<ChallengeRecord | null> {
      const found = await find(_id, now)
      return found !== null && (await challenges.remove({ _id })) === 1 ? found : null
    },
  }
}
