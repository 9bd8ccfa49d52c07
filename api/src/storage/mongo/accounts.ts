import { nameKey, newId } from '../ids.ts'
import type { NewUser, SessionRepository, UserRecord, UserRepository } from '../storage.ts'
import { isDuplicate, type MongoConnection } from './connection.ts'
import { type Collections, userDoc } from './documents.ts'

/** The first user's, fixed: of several nodes that find no user and insert the first, the unique `_id` lets one. */
const FIRST_USER_ID = '000000000000000000000001'

export function openUsers({ users }: Collections, settled: MongoConnection['settled']): UserRepository {
  const shown = { ...settled, projection: { nameKey: 0 } }

  async function insert(user: NewUser, _id: string): Promise<UserRecord | null> {
    const record = { _id, ...user, disabled: false }
    try {
      await users.insertOne(userDoc(record))
      return record
    } catch (error) {
      if (isDuplicate(error)) return null
      throw error
    }
  }

  return {
    findByName: async (userName) => toUser(await users.findOne({ nameKey: nameKey(userName) }, shown)),
    findById: async (id) => toUser(await users.findOne({ _id: id }, shown)),
    async createFirst(user) {
      const any = await users.findOne({}, { ...settled, sort: { _id: 1 }, projection: { _id: 1 } })
      return any === null ? insert(user, FIRST_USER_ID) : null
    },
    create: (user) => insert(user, newId(user.createdAt)),
    async setPasswordHash(id, passwordHash) {
      await users.updateOne({ _id: id }, { $set: { passwordHash } })
    },
    async setDisabled(id, disabled) {
      await users.updateOne({ _id: id }, { $set: { disabled } })
    },
  }
}

function toUser(found: UserRecord | null): UserRecord | null {
  // Some servers that are not MongoDB's own keep what an update sets to true as 1.
  return found === null ? null : { ...found, disabled: Boolean(found.disabled) }
}

export function openSessions(
  { sessions }: Collections,
  settled: MongoConnection['settled'],
): SessionRepository {
  return {
    async create(session) {
      const { _id, userId, currentHash, previousHash, createdAt, expiresAt } = session
      await sessions.insertOne({ _id, userId, currentHash, previousHash, createdAt, expiresAt })
    },
    find: (id, now) => sessions.findOne({ _id: id, expiresAt: { $gt: now } }, settled),
    listOf: (userId, now) =>
      sessions
        .find({ userId, expiresAt: { $gt: now } }, settled)
        .sort({ createdAt: -1 })
        .limit(100)
        .toArray(),
    async rotate(id, fromHash, toHash, expiresAt) {
      const { modifiedCount } = await sessions.updateOne(
        { _id: id, currentHash: fromHash },
        { $set: { currentHash: toHash, previousHash: fromHash, expiresAt } },
      )
      return modifiedCount === 1
    },
    async end(id) {
      await sessions.deleteOne({ _id: id })
    },
    async endAllOf(userId, exceptId = '') {
      const found = await sessions
        .find({ userId, _id: { $ne: exceptId } }, { projection: { _id: 1 } })
        .toArray()
      const ids = found.map(({ _id }) => _id)
      // Those that were found and no others: one that begins in between is answered by nobody, so it stays.
      if (ids.length > 0) await sessions.deleteMany({ _id: { $in: ids } })
      return ids
    },
    async sweep(now) {
      await sessions.deleteMany({ expiresAt: { $lte: now } })
    },
  }
}
