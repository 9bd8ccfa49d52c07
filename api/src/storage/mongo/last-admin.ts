import type { Filter } from 'mongodb'
import { newEpoch } from '../model/ids.ts'
import type { Rows } from '../model/plain-table.ts'
import { isActiveAdmin, USERS, type UserRepository, type UserRow } from '../model/users.ts'
import type { Collections, Disabling } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import { isDuplicate } from './outage.ts'
import { plainRow } from './rows.ts'

const DISABLING = { _id: 'disabling' } as const
/** The age at which an entry counts as abandoned. It is longer than any call of the storage port lasts. */
const ABANDONED_MS = 60_000

/** The first user's ID is fixed, so that only one of several nodes that find no user can insert the first one. */
const FIRST_USER_ID = '000000000000000000000001'

export function firstInsertion(users: Rows<UserRow>): (user: UserRow) => Promise<UserRow | null> {
  return async (user) => {
    const first = { ...user, _id: FIRST_USER_ID }
    return (await users.insert(first)) ? first : null
  }
}

/**
 * Matches the user if the credentials still have this version. A user from an older release has no version, which is 0.
 */
function atVersion(_id: string, version: number | undefined): Filter<UserRow> {
  return { _id, credentialVersion: version === 0 ? { $in: [0, null] } : version } as Filter<UserRow>
}

/**
 * Disables an admin while another one is active, without a transaction. One document lists the admins who are about to
 * be disabled, and so orders the calls: each call counts the admins entered before it as disabled. A later call finds
 * either an earlier call's entry or, after that entry was removed, the disabled user. So concurrent calls cannot
 * disable all admins. At worst, two admins who are disabled at once both stay active, because the first call fails.
 *
 * An entry whose process died counts its user as disabled. When such an entry would refuse another call, it is removed
 * once it is old. Before that, its user's version is incremented, so that a late write from that process fails.
 */
export function disableUnlessLast(
  { users, meta }: Pick<Collections, 'users' | 'meta'>,
  majority: MongoConnection['majority'],
): (changeCredentials: UserRepository['changeCredentials']) => UserRepository['disable'] {
  async function enter(token: string, entry: Disabling): Promise<Record<string, Disabling>> {
    const change = { $set: { [`disabling.${token}`]: entry } }
    const options = { upsert: true, returnDocument: 'after' } as const
    const after = await meta.findOneAndUpdate(DISABLING, change, options).catch((error) => {
      // Another process inserted the document.
      if (isDuplicate(error)) return meta.findOneAndUpdate(DISABLING, change, options)
      throw error
    })
    return after?.disabling ?? {}
  }

  async function leave(token: string): Promise<void> {
    await meta.updateOne(DISABLING, { $unset: { [`disabling.${token}`]: 1 } })
  }

  async function isLast(id: string, entries: Record<string, Disabling>): Promise<boolean> {
    const leaving = new Set([id, ...Object.values(entries).map(({ userId }) => userId)])
    const all = await users.find({ _id: { $gt: '' } }, { ...majority, sort: { _id: 1 } }).toArray()
    return !all.some((user) => !leaving.has(user._id) && isActiveAdmin(plainRow(USERS, user)))
  }

  /** Removes abandoned entries. Returns whether there were any. */
  async function removeAbandoned(entries: Record<string, Disabling>): Promise<boolean> {
    const abandoned = Object.entries(entries).filter(([, { at }]) => Date.now() - at > ABANDONED_MS)
    for (const [token, { userId, version }] of abandoned) {
      await users.updateOne(atVersion(userId, version), { $inc: { credentialVersion: 1 } })
      await leave(token)
    }
    return abandoned.length > 0
  }

  return (changeCredentials) =>
    async function disable(id): ReturnType<UserRepository['disable']> {
      const user = await users.findOne({ _id: id }, majority)
      if (user === null) return { outcome: 'missing' }
      const { credentialVersion: version } = plainRow(USERS, user)
      const token = newEpoch()
      // The entry stays after an error, because the write may still arrive.
      const entries = await enter(token, { userId: id, version, at: Date.now() })
      if (await isLast(id, entries)) {
        await leave(token)
        return (await removeAbandoned(entries)) ? disable(id) : { outcome: 'last' }
      }
      const ended = await changeCredentials(id, { disabled: true, ifVersion: version })
      await leave(token)
      return ended === null ? disable(id) : { outcome: 'disabled', ended }
    }
}
