import {
  DISPLAY_NAME_MAX,
  EMAIL_MAX,
  PASSKEY_NAME_MAX,
  PASSKEYS_MAX,
  RECOVERY_CODES,
  USER_NAME_MAX,
} from '@proctorpass/shared/limits'
import Type from 'typebox'
import { type Factors, NEW_USER, type NewUser, type SessionRecord, type UserRecord } from '../port/records.ts'
import type { UserRepository } from '../port/storage.ts'
import { nameKey, newId } from '../rules/ids.ts'
import { Count, Hash, Id, OrNull, strict, Time, TimeOrNull, Token, text } from './bounds.ts'
import type { PlainTable, Rows, Where } from './plain-table.ts'

/** `m` is at most six digits of KiB, so that verifying a restored hash cannot exhaust memory. */
const PASSWORD_HASH =
  '^\\$argon2id\\$v=19\\$m=[0-9]{1,6},t=[0-9]{1,2},p=[0-9]{1,2}\\$[A-Za-z0-9+/]{11,86}\\$[A-Za-z0-9+/]{22,86}$'
/** The id or a key of a passkey. */
const PasskeyText = Type.String({ pattern: '^[A-Za-z0-9_-]{1,2048}$' })

/** `nameKey`: what user names are compared by. */
export type UserRow = UserRecord & { nameKey: string }

export const USERS: PlainTable<UserRow> = {
  name: 'users',
  key: '_id',
  fields: {
    _id: Id,
    userName: text(USER_NAME_MAX, 1),
    passwordHash: Type.String({ pattern: PASSWORD_HASH }),
    roles: Type.Array(text(32, 1), { maxItems: 10 }),
    createdAt: Time,
    disabled: Type.Boolean(),
    credentialVersion: Count,
    keptSessionId: OrNull(Id),
    displayName: OrNull(text(DISPLAY_NAME_MAX, 1)),
    onDuty: Type.Boolean(),
    email: OrNull(text(EMAIL_MAX, 1)),
    inviteHash: OrNull(Token),
    inviteExpiresAt: TimeOrNull,
    factors: strict({
      version: Count,
      totp: OrNull(strict({ sealed: Token, lastStep: Count })),
      recovery: Type.Array(Hash, { maxItems: RECOVERY_CODES }),
      passkeys: Type.Array(
        strict({
          ...{ _id: Id, credentialId: PasskeyText, publicKey: PasskeyText, counter: Count },
          transports: Type.Array(text(32), { maxItems: 8 }),
          ...{ name: text(PASSKEY_NAME_MAX, 1), createdAt: Time, lastUsedAt: TimeOrNull },
        }),
        { maxItems: PASSKEYS_MAX },
      ),
    }),
    nameKey: Type.String(),
  },
  missing: NEW_USER,
  derived: ['nameKey'],
  native: ['roles'],
  indexes: { name: { by: { nameKey: 1 }, unique: true } },
}

type ChangeCredentials = UserRepository['changeCredentials']

interface Tables {
  users: Rows<UserRow>
  sessions: Rows<SessionRecord>
  /** Inserts a user if there is none, judged by the write; null when there is one. */
  insertFirst: (user: UserRow) => Promise<UserRow | null>
  /** Each store guards the last admin in its own way. */
  disable: (changeCredentials: ChangeCredentials) => UserRepository['disable']
}

export function openUsers({ users, sessions, insertFirst, disable }: Tables): UserRepository {
  async function find(where: Where<UserRow>): Promise<UserRecord | null> {
    const found = await users.find(where)
    return found && userOf(found)
  }

  async function any(): Promise<boolean> {
    return (await users.list({}, { order: { _id: 1 }, limit: 1, only: ['_id'] })).length > 0
  }

  const sessionsOf = (userId: string) =>
    sessions.list({ userId }, { order: { createdAt: -1 }, only: ['_id', 'credentialVersion'] })

  /**
   * The new version ends the sessions: one of another version is invalid even if this process dies before it removes
   * the rows, which expire later. SQLite removes them in the transaction of the update.
   */
  const changeCredentials: ChangeCredentials = async (_id, change) => {
    const { passwordHash, disabled, invite, ifVersion, keepSessionId = null, factors } = change
    const invitation = passwordHash === undefined ? invite : { inviteHash: null, inviteExpiresAt: null }
    for (;;) {
      const found = await users.find({ _id })
      if (found === null || !isOfVersion(found, ifVersion, factors)) return null
      const { credentialVersion } = found
      const before = await sessionsOf(_id)
      const set = {
        ...{ passwordHash, disabled, factors, keptSessionId: keepSessionId, ...invitation },
        credentialVersion: credentialVersion + 1,
      } as Partial<UserRow>
      // Judged by the write: another call may have changed them meanwhile.
      if ((await users.update(atVersion(_id, credentialVersion, factors), set)) !== 'updated') continue
      // Also those that began meanwhile.
      const after = await sessionsOf(_id).catch(() => [])
      const old = [...before, ...after].filter(
        (session) => session._id !== keepSessionId && session.credentialVersion <= credentialVersion,
      )
      const ended = [...new Set(old.map((session) => session._id))]
      await Promise.all(ended.map((id) => sessions.remove({ _id: id }))).catch(() => {})
      return ended
    }
  }

  return {
    findByName: (userName) => find({ nameKey: nameKey(userName) }),
    findById: (_id) => find({ _id }),
    // A range of every id, so that the index serves it.
    list: async () => (await users.list({ _id: { '>': '' } }, { order: { _id: 1 } })).map(userOf),
    any,
    async createFirst(user) {
      const row = (await any()) ? null : await insertFirst(userRow(user))
      return row && userOf(row)
    },
    async create(user) {
      const row = userRow(user)
      return (await users.insert(row)) ? userOf(row) : null
    },
    replacePasswordHash: async (_id, passwordHash, to) =>
      (await users.update({ _id, passwordHash }, { passwordHash: to })) === 'updated',
    changeCredentials,
    useFactor: async (_id, factors, ifVersion) =>
      (await users.update(atVersion(_id, ifVersion, factors), { factors })) === 'updated',
    disable: disable(changeCredentials),
    findByInvite: (inviteHash) => find({ inviteHash }),
    removeInvited: async (_id) => (await users.remove({ _id, inviteHash: { '>': '' } })) === 1,
    async changeProfile(_id, { displayName, onDuty, email }) {
      const change = Object.entries({ displayName, onDuty, email }).filter(([, value]) => value !== undefined)
      if (change.length === 0) return find({ _id })
      const changed = await users.change({ _id }, Object.fromEntries(change))
      return changed && userOf(changed)
    },
  }
}

function userRow(user: NewUser): UserRow {
  return { _id: newId(user.createdAt), ...NEW_USER, ...user, nameKey: nameKey(user.userName) }
}

const userOf = ({ nameKey: _, ...user }: UserRow): UserRecord => user

function isOfVersion(user: UserRecord, ifVersion?: number, factors?: Factors): boolean {
  if (ifVersion !== undefined && ifVersion !== user.credentialVersion) return false
  return factors === undefined || factors.version - 1 === user.factors.version
}

/** The user with these credentials, and with the factors before these. */
function atVersion(_id: string, credentialVersion: number, factors?: Factors): Where<UserRow> {
  return { _id, credentialVersion, ...(factors && { 'factors.version': factors.version - 1 }) }
}
