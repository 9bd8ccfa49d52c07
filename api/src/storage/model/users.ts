import {
  DISPLAY_NAME_MAX,
  EMAIL_MAX,
  PASSKEY_NAME_MAX,
  PASSKEYS_MAX,
  RECOVERY_CODES,
  USER_NAME_MAX,
} from '@proctorpass/shared/limits'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import Type from 'typebox'
import { Count, Hash, Id, OrNull, strict, Time, TimeOrNull, Token, text } from './bounds.ts'
import { newId } from './ids.ts'
import type { PlainTable, Rows, Where } from './plain-table.ts'
import type { SessionRecord } from './sessions.ts'

/** The rows of the port. Ids are 24 hex digits, times are milliseconds since 1970 UTC. */

export interface UserRecord {
  _id: string
  /** Unique after NFKC and lower-casing. */
  userName: string
  passwordHash: string
  roles: string[]
  createdAt: number
  /** May not sign in. */
  disabled: boolean
  /** 0 at first, incremented by each `changeCredentials`: sessions of another version have ended. */
  credentialVersion: number
  /** The session that the last change did not end: it is valid with any version. */
  keptSessionId: string | null
  /** What visitors see; null for the name of the site. */
  displayName: string | null
  /** Wants to be notified of messages. */
  onDuty: boolean
  /** Where notifications are mailed to. */
  email: string | null
  /** Hash of the token in the invitation. Until it is used the user is invited and has a random password. */
  inviteHash: string | null
  inviteExpiresAt: number | null
  factors: Factors
}

/** What a user proves besides the password. */
export interface Factors {
  /** Incremented by each change and each use, which require the version that they saw. */
  version: number
  /** `sealed`: the secret, encrypted for this user. `lastStep`: the step of the newest code that was used. */
  totp: { sealed: string; lastStep: number } | null
  /** Hashes of the recovery codes that are left. */
  recovery: readonly string[]
  /** At most PASSKEYS_MAX, the oldest first. */
  passkeys: readonly PasskeyRecord[]
}

export interface PasskeyRecord {
  _id: string
  /** What the authenticator calls it, in base64url. */
  credentialId: string
  /** A COSE key, in base64url. */
  publicKey: string
  /** The authenticator's counter of signatures; 0 for passkeys that do not count. */
  counter: number
  /** How browsers reach it, such as `internal` or `usb`. */
  transports: readonly string[]
  name: string
  createdAt: number
  lastUsedAt: number | null
}

export const NO_FACTORS: Factors = { version: 0, totp: null, recovery: [], passkeys: [] }

export type NewUser = Pick<UserRecord, 'userName' | 'passwordHash' | 'roles' | 'createdAt'> &
  Partial<Pick<UserRecord, 'displayName' | 'inviteHash' | 'inviteExpiresAt'>>

/** What a new user has unless it is given, and what users of older releases lack. */
export const NEW_USER = {
  disabled: false,
  credentialVersion: 0,
  keptSessionId: null,
  displayName: null,
  onDuty: true,
  email: null,
  inviteHash: null,
  inviteExpiresAt: null,
  factors: NO_FACTORS,
} as const satisfies Partial<UserRecord>

/** The hash of the token in an invitation, and when that stops working. */
export interface Invitation {
  inviteHash: string
  inviteExpiresAt: number
}

/** Undefined fields stay as they are. */
export interface ProfileChange {
  displayName?: string | null | undefined
  onDuty?: boolean | undefined
  email?: string | null | undefined
}

/** Undefined fields stay as they are. */
export interface CredentialChange {
  /** A new password also ends an invitation. */
  passwordHash?: string | undefined
  disabled?: boolean | undefined
  /** Replaces an invitation. */
  invite?: Invitation | undefined
  /** Replaces the factors; the change requires that the version before this one is stored. */
  factors?: Factors | undefined
  /** When given, the change requires that it is the user's credentialVersion. */
  ifVersion?: number
  keepSessionId?: string
}

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

type ChangeCredentials = (id: string, change: CredentialChange) => Promise<string[] | null>

type Disabled = { outcome: 'disabled'; ended: string[] } | { outcome: 'missing' | 'last' }

interface Tables {
  users: Rows<UserRow>
  sessions: Rows<SessionRecord>
  /** Inserts a user if there is none, judged by the write; null when there is one. */
  insertFirst: (user: UserRow) => Promise<UserRow | null>
  /** Each store guards the last admin in its own way. */
  disable: (changeCredentials: ChangeCredentials) => (id: string) => Promise<Disabled>
}

export function openUsers({ users, sessions, insertFirst, disable }: Tables) {
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
   * The new version ends the sessions: a session with another version is invalid even if this process dies before it
   * removes the rows, which expire later. SQLite removes them in the update's transaction.
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
      // The write decides: another call may have changed them meanwhile.
      if ((await users.update(atVersion(_id, credentialVersion, factors), set)) !== 'updated') continue
      // Some sessions began meanwhile.
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
    findByName: (userName: string) => find({ nameKey: nameKey(userName) }),
    findById: (_id: string) => find({ _id }),
    /** All users, in order of creation. The range has every id, so that the index serves it. */
    list: async () => (await users.list({ _id: { '>': '' } }, { order: { _id: 1 } })).map(userOf),
    /** Whether any user exists. */
    any,
    /** Creates the user if no user exists, atomically: of two nodes that start together, one creates it. Else null. */
    async createFirst(user: NewUser): Promise<UserRecord | null> {
      const row = (await any()) ? null : await insertFirst(userRow(user))
      return row && userOf(row)
    },
    /** Null when the name is taken. */
    async create(user: NewUser): Promise<UserRecord | null> {
      const row = userRow(user)
      return (await users.insert(row)) ? userOf(row) : null
    },
    /** Replaces a hash with another one of the same password. False when another hash is stored. */
    replacePasswordHash: async (_id: string, passwordHash: string, to: string) =>
      (await users.update({ _id, passwordHash }, { passwordHash: to })) === 'updated',
    /**
     * Changes credentials and ends the user's sessions except `keepSessionId`, atomically. Returns the ids of the ended
     * sessions; null when nothing was changed.
     */
    changeCredentials,
    /**
     * Stores the remaining factors after one was used, and ends no session. Judged by the write itself: false unless the
     * version before this one is stored and `ifVersion` is the user's credentialVersion.
     */
    useFactor: async (_id: string, factors: Factors, ifVersion: number) =>
      (await users.update(atVersion(_id, ifVersion, factors), { factors })) === 'updated',
    /**
     * Does what `changeCredentials` does with `disabled`, but only while another admin is active. Judged by the write
     * itself: of two admins who disable each other at once, one stays.
     */
    disable: disable(changeCredentials),
    /** The user whose invitation has this hash, expired or not. */
    findByInvite: (inviteHash: string) => find({ inviteHash }),
    /** Removes a user who has not used the invitation. False when there is none, or they have used it. */
    removeInvited: async (_id: string) => (await users.remove({ _id, inviteHash: { '>': '' } })) === 1,
    /** Null when the user is missing. */
    async changeProfile(
      _id: string,
      { displayName, onDuty, email }: ProfileChange,
    ): Promise<UserRecord | null> {
      const change = Object.entries({ displayName, onDuty, email }).filter(([, value]) => value !== undefined)
      if (change.length === 0) return find({ _id })
      const changed = await users.change({ _id }, Object.fromEntries(change))
      return changed && userOf(changed)
    },
  }
}

export type UserRepository = ReturnType<typeof openUsers>

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

/** Whether this admin may sign in: neither disabled nor invited. Others cannot be assigned, mentioned or notified. */
export function isActiveAdmin({ roles, disabled, inviteHash }: UserRecord): boolean {
  return roles.includes(ADMIN_ROLE) && !disabled && inviteHash === null
}

/** User names are compared by this key: case and Unicode composition do not matter. */
export function nameKey(userName: string): string {
  return userName.normalize('NFKC').toLowerCase()
}
