import type { Filter, UpdateFilter } from 'mongodb'
import {
  type CredentialChange,
  type Factors,
  NEW_USER,
  type NewUser,
  type UserRecord,
} from '../port/records.ts'
import type { UserRepository } from '../port/storage.ts'
import { nameKey, newId } from '../rules/ids.ts'
import type { AuditedWrites } from './audit-chain.ts'
import type { MongoConnection } from './connection.ts'
import { type Collections, type UserDoc, userDoc, userOf } from './documents.ts'
import { atVersion, disableUnlessLast } from './last-admin.ts'
import { isDuplicate } from './outage.ts'

/** Fixed, so that of several nodes that find no user only one can insert the first. */
const FIRST_USER_ID = '000000000000000000000001'

export function openUsers(
  { users, sessions, meta }: Collections,
  majority: MongoConnection['majority'],
  audited: AuditedWrites,
): UserRepository {
  const shown = { ...majority, projection: { nameKey: 0 } }

  async function insert(user: NewUser, _id: string): Promise<UserRecord | null> {
    const record: UserRecord = { _id, ...NEW_USER, ...user }
    return audited.change(
      { collection: users.collectionName, _id },
      async ({ field }) => {
        try {
          await users.insertOne({ ...userDoc(record), ...field })
          return record
        } catch (error) {
          if (isDuplicate(error)) return null
          throw error
        }
      },
      (inserted) => inserted !== null,
    )
  }

  /**
   * Changing one document ends the sessions: one of another version is invalid even if this process dies before it
   * removes the rows, which expire later.
   */
  async function changeCredentials(id: string, change: CredentialChange): Promise<string[] | null> {
    const { passwordHash, disabled, invite, ifVersion, keepSessionId = null, factors } = change
    const found = await sessions
      .find({ userId: id, _id: { $ne: keepSessionId ?? '' } }, { projection: { _id: 1 } })
      .toArray()
    const ended = found.map(({ _id }) => _id)
    const invitation = passwordHash === undefined ? invite : { inviteHash: null, inviteExpiresAt: null }
    const filter = { ...atVersion(id, ifVersion), ...(factors && before(factors)) }
    const isChanged = await update(id, filter, {
      $set: {
        passwordHash,
        disabled,
        factors,
        keptSessionId: keepSessionId,
        ...invitation,
      } as Partial<UserDoc>,
      $inc: { credentialVersion: 1 },
    })
    if (!isChanged) return null
    if (ended.length > 0) await sessions.deleteMany({ _id: { $in: ended } }).catch(() => {})
    return ended
  }

  function update(_id: string, filter: Filter<UserDoc>, change: UpdateFilter<UserDoc>): Promise<boolean> {
    return audited.change(
      { collection: users.collectionName, _id },
      async ({ push }) =>
        (await users.updateOne(filter, { ...change, ...push } as typeof change)).matchedCount === 1,
      (isChanged) => isChanged,
    )
  }

  async function any(): Promise<boolean> {
    const found = await users.findOne({}, { ...majority, sort: { _id: 1 }, projection: { _id: 1 } })
    return found !== null
  }

  return {
    any,
    findByName: async (userName) => toUser(await users.findOne({ nameKey: nameKey(userName) }, shown)),
    findById: async (id) => toUser(await users.findOne({ _id: id }, shown)),
    // A range of every id, so that the index serves it.
    list: async () =>
      (await users.find({ _id: { $gt: '' } }, { ...shown, sort: { _id: 1 } }).toArray()).map(userOf),
    async createFirst(user) {
      return (await any()) ? null : insert(user, FIRST_USER_ID)
    },
    create: (user) => insert(user, newId(user.createdAt)),
    async replacePasswordHash(id, from, to) {
      const filter = { _id: id, passwordHash: from }
      return (await users.updateOne(filter, { $set: { passwordHash: to } })).matchedCount === 1
    },
    changeCredentials,
    useFactor: (id, factors, ifVersion) =>
      update(id, { ...atVersion(id, ifVersion), ...before(factors) }, { $set: { factors } }),
    disable: disableUnlessLast({ users, meta }, majority, changeCredentials),
    findByInvite: async (inviteHash) => toUser(await users.findOne({ inviteHash }, shown)),
    async removeInvited(id) {
      const filter: Filter<UserDoc> = { _id: id, inviteHash: { $type: 'string' } }
      return audited.remove(
        { collection: users.collectionName, filter },
        async () => (await users.deleteOne(filter)).deletedCount === 1,
        (isRemoved) => isRemoved,
      )
    },
    async changeProfile(id, change) {
      // An update without a field is refused.
      const wanted = Object.values(change).some((value) => value !== undefined)
      if (wanted) await update(id, { _id: id }, { $set: change as Partial<UserDoc> })
      return toUser(await users.findOne({ _id: id }, shown))
    },
  }
}

const toUser = (found: UserRecord | null) => (found === null ? null : userOf(found))

/** The user whose factors are of the version before. One of an older release has none, which is 0. */
function before({ version }: Factors): Filter<UserDoc> {
  return { 'factors.version': version === 1 ? { $in: [0, null] } : version - 1 } as Filter<UserDoc>
}
