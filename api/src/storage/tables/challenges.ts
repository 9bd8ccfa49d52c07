import type { ChallengeRecord, ChallengeRepository } from '../port/challenges.ts'
import { Count, Hash, Id, OrNull, Time, Token } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

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
