import {
  DISPLAY_NAME_MAX,
  EMAIL_MAX,
  PASSKEY_NAME_MAX,
  PASSKEYS_MAX,
  RECOVERY_CODES,
  TIME_ZONE_MAX,
  USER_NAME_MAX,
} from '@proctorpass/shared/limits'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import Type from 'typebox'
import { Count, Day, Hash, Id, OrNull, strict, Time, TimeOrNull, Token, text } from './bounds.ts'
import { newId } from './ids.ts'
import type { PlainTable, Rows, Where } from './plain-table.ts'
import type { SessionRecord } from './sessions.ts'

/** A user's ID has 24 hex digits. Times are milliseconds since 1970 UTC. */

export interface UserRecord {
  _id: string
  /** The name, which is unique after NFKC and lower-casing. */
  userName: string
  passwordHash: string
  roles: string[]
  createdAt: number
  /** True if the user may not sign in. */
  disabled: boolean
  /** Begins with 0 and increases with each `changeCredentials`. Sessions with another version have ended. */
  credentialVersion: number
  /** The session that the last change did not end, which is valid with any version. */
  keptSessionId: string | null
  /** The name that visitors see. Null for the brand. */
  displayName: string | null
  /** True if the user wants notifications about messages. */
  onDuty: boolean
  /** The address to which notifications are mailed. */
  email: string | null
  /** The IANA time zone in which the user's weekly mail is due. Null for the opening hours' zone. */
  timeZone: string | null
  /** The Monday of the next weekly mail, as `YYYY-MM-DD`. Null if the user wants none. */
  weeklyFrom: string | null
  /** The URL of the user's picture, `/uploads/{hash}.webp`. Null without one. */
  face: string | null
  /** The hash of the invitation's token. Until the token is used, the user is invited and has a random password. */
  inviteHash: string | null
  inviteExpiresAt: number | null
  factors: Factors
}

/** Whether the user proves more than the password. Recovery codes alone don't count. */
export function hasFactor({ factors }: Pick<UserRecord, 'factors'>): boolean {
  return factors.totp !== null || factors.passkeys.length > 0
}

/** What a user proves in addition to the password. */
export interface Factors {
  /** Increases with each change and each use, which require the version that they saw. */
  version: number
  /** `sealed` is the secret, encrypted for this user. `lastStep` is the newest used code's step. */
  totp: { sealed: string; lastStep: number } | null
  /** The hashes of the unused recovery codes. */
  recovery: readonly string[]
  /** At most PASSKEYS_MAX passkeys, the oldest first. */
  passkeys: readonly PasskeyRecord[]
}

export interface PasskeyRecord {
  _id: string
  /** The ID by which the authenticator knows the passkey, in base64url. */
  credentialId: string
  /** The COSE key in base64url. */
  publicKey: string
  /** The authenticator's signature counter. 0 for passkeys that do not count. */
  counter: number
  /** The ways in which browsers reach the authenticator, such as `internal` or `usb`. */
  transports: readonly string[]
  name: string
  createdAt: number
  lastUsedAt: number | null
}

export const NO_FACTORS: Factors = { version: 0, totp: null, recovery: [], passkeys: [] }

export type NewUser = Pick<UserRecord, 'userName' | 'passwordHash' | 'roles' | 'createdAt'> &
  Partial<Pick<UserRecord, 'displayName' | 'inviteHash' | 'inviteExpiresAt'>>

/** A new user's defaults, and the values of fields that users from older releases lack. */
export const NEW_USER = {
  disabled: false,
  credentialVersion: 0,
  keptSessionId: null,
  displayName: null,
  onDuty: true,
  email: null,
  timeZone: null,
  weeklyFrom: null,
  face: null,
  inviteHash: null,
  inviteExpiresAt: null,
  factors: NO_FACTORS,
} as const satisfies Partial<UserRecord>

/** The hash of an invitation's token, and the time when the invitation expires. */
export interface Invitation {
  inviteHash: string
  inviteExpiresAt: number
}

/** Undefined fields stay as they are. */
export interface ProfileChange {
  displayName?: string | null | undefined
  onDuty?: boolean | undefined
  email?: string | null | undefined
  timeZone?: string | null | undefined
  weeklyFrom?: string | null | undefined
  face?: string | null | undefined
}

/** Undefined fields stay as they are. */
export interface CredentialChange {
  /** A new password also ends an invitation. */
  passwordHash?: string | undefined
  disabled?: boolean | undefined
  /** Replaces an invitation. */
  invite?: Invitation | undefined
  /** Replaces the factors. The change requires that the previous version is stored. */
  factors?: Factors | undefined
  /** When given, the change requires that this is the user's credentialVersion. */
  ifVersion?: number
  keepSessionId?: string
}

/**
 * The form of a password hash. `m` has at most six digits (KiB), so that verifying a restored hash cannot exhaust
 * memory.
 */
const PASSWORD_HASH =
  '^\\$argon2id\\$v=19\\$m=[0-9]{1,6},t=[0-9]{1,2},p=[0-9]{1,2}\\$[A-Za-z0-9+/]{11,86}\\$[A-Za-z0-9+/]{22,86}$'

/** The form of a passkey's ID or key. */
const PasskeyText = Type.String({ pattern: '^[A-Za-z0-9_-]{1,2048}$' })

/** A stored user. User names are compared by `nameKey`. */
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
    timeZone: OrNull(text(TIME_ZONE_MAX, 1)),
    weeklyFrom: OrNull(Day),
    face: OrNull(Type.String({ pattern: '^/uploads/[0-9a-f]{40}\\.webp$' })),
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
  /** Inserts a user if there is none. Returns null when there is one. The write itself checks this. */
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
   * Changes credentials and increments their version. A session with another version is invalid, even if this process
   * dies before it removes the session's row, which expires later. SQLite removes the rows in the update's transaction.
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
      // The write decides, because another call may have changed the credentials in the meantime.
      if ((await users.update(atVersion(_id, credentialVersion, factors), set)) !== 'updated') continue
      // Some sessions began in the meantime.
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
    /** Lists all users in the order of their creation. The condition matches every ID, so that the index serves it. */
    list: async () => (await users.list({ _id: { '>': '' } }, { order: { _id: 1 } })).map(userOf),
    /** Returns whether any user exists. */
    any,
    /**
     * Creates the user atomically if there is none, otherwise returns null. Only one of two nodes that start together
     * creates it.
     */
    async createFirst(user: NewUser): Promise<UserRecord | null> {
      const row = (await any()) ? null : await insertFirst(userRow(user))
      return row && userOf(row)
    },
    /** Creates a user. Returns null when the name is taken. */
    async create(user: NewUser): Promise<UserRecord | null> {
      const row = userRow(user)
      return (await users.insert(row)) ? userOf(row) : null
    },
    /** Replaces a hash with another hash of the same password. Returns false when a third hash is stored. */
    replacePasswordHash: async (_id: string, passwordHash: string, to: string) =>
      (await users.update({ _id, passwordHash }, { passwordHash: to })) === 'updated',
    /**
     * Atomically changes credentials and ends the user's sessions except `keepSessionId`. Returns the ended sessions'
     * IDs, or null when nothing was changed.
     */
    changeCredentials,
    /**
     * Stores the remaining factors after one was used, and ends no session. Returns false unless the previous version
     * is stored and `ifVersion` is the user's credentialVersion. The write itself checks this.
     */
    useFactor: async (_id: string, factors: Factors, ifVersion: number) =>
      (await users.update(atVersion(_id, ifVersion, factors), { factors })) === 'updated',
    /**
     * Does what `changeCredentials` does with `disabled`, but only while another admin is active. The write itself checks
     * this, so one of two admins who disable each other at once stays active.
     */
    disable: disable(changeCredentials),
    /** Returns the user whose invitation has this hash, even if it has expired. */
    findByInvite: (inviteHash: string) => find({ inviteHash }),
    /** Removes a user who has not used their invitation. Returns false for any other user. */
    removeInvited: async (_id: string) => (await users.remove({ _id, inviteHash: { '>': '' } })) === 1,
    /** Returns null when the user is missing. */
    async changeProfile(
      _id: string,
      { displayName, onDuty, email, timeZone, weeklyFrom, face }: ProfileChange,
    ): Promise<UserRecord | null> {
      const profile = { displayName, onDuty, email, timeZone, weeklyFrom, face }
      const change = Object.entries(profile).filter(([, value]) => value !== undefined)
      if (change.length === 0) return find({ _id })
      const changed = await users.change({ _id }, Object.fromEntries(change))
      return changed && userOf(changed)
    },
    /**
     * Moves the next weekly mail to another Monday. Returns false when `weeklyFrom` is not stored any more, which the
     * write itself checks.
     */
    moveWeekly: async (_id: string, weeklyFrom: string, to: string) =>
      (await users.update({ _id, weeklyFrom }, { weeklyFrom: to })) === 'updated',
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

/**
 * Matches the user with this version of the credentials and, if `factors` is given, with the factors' previous version.
 */
function atVersion(_id: string, credentialVersion: number, factors?: Factors): Where<UserRow> {
  return { _id, credentialVersion, ...(factors && { 'factors.version': factors.version - 1 }) }
}

/**
 * Returns whether an admin is neither disabled nor invited. Other users cannot sign in or be assigned, mentioned, or
 * notified.
 */
export function isActiveAdmin({ roles, disabled, inviteHash }: UserRecord): boolean {
  return roles.includes(ADMIN_ROLE) && !disabled && inviteHash === null
}

/** Returns the key by which user names are compared. It ignores case and Unicode composition. */
export function nameKey(userName: string): string {
  return userName.normalize('NFKC').toLowerCase()
}
