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
  /** Of its signatures; 0 for passkeys that do not count. */
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
  /** Also ends an invitation. */
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

/** One sign-in on one browser: a family of refresh tokens, stored as hashes. */
export interface SessionRecord {
  /** Also the `sid` of its access tokens. */
  _id: string
  userId: string
  /** Hash of the newest refresh token. */
  currentHash: string
  /** Hash of its predecessor, valid until the newest is first used; null before the first rotation. */
  previousHash: string | null
  createdAt: number
  /** Extended by each rotation. */
  expiresAt: number
  /** The user's credentialVersion when the session began. */
  credentialVersion: number
  /** "Chrome on Android", of the last use; null when unknown. */
  device: string | null
  /** The network of the last use, /24 or /48; null in sessions of older releases that were not used since. */
  network: string | null
  /** The last rotation or, before the first, the sign-in; 0 as with `network`. */
  usedAt: number
  /** When the user last proved who they are: by signing in, or when asked; 0 in sessions of older releases. */
  confirmedAt: number
}

/** What sessions of older releases lack. */
export const OLD_SESSION = {
  device: null,
  network: null,
  usedAt: 0,
  confirmedAt: 0,
} as const satisfies Partial<SessionRecord>

/** Changed by each rotation. */
export type SessionUse = Pick<SessionRecord, 'expiresAt' | 'usedAt' | 'device' | 'network'>

/** A page of a list by its number, from 1. */
export interface PageOfList {
  page: number
  perPage: number
}

/** `count` is of the whole list, also on a page beyond its end. */
export interface Listed<T> {
  items: T[]
  count: number
}

export interface BlogRecord {
  _id: string
  /** Unique. */
  slug: string
  title: string
  summary: string
  img: string
  /** What the image shows: empty for a decorative image, null while it is not described. */
  imgAlt: string | null
  /** Sanitized HTML. */
  content: string
  createdAt: number
  updatedAt: number
  /** 1 at first, incremented by each change. */
  version: number
  /** A sample that no admin has changed. */
  demo: boolean
}
export type BlogSummaryRecord = Omit<BlogRecord, 'content' | 'version'>
export type NewBlog = Omit<BlogRecord, '_id' | 'updatedAt' | 'version' | 'demo'>

/** Undefined fields stay as they are. */
export interface BlogChange {
  slug?: string | undefined
  title?: string | undefined
  summary?: string | undefined
  img?: string | undefined
  imgAlt?: string | null | undefined
  content?: string | undefined
  /** The time of the change; `updatedAt` never decreases. */
  at: number
}

export interface ReviewRecord {
  _id: string
  name: string
  time: string
  star: number
  review: string
  createdAt: number
}
export type NewReview = Omit<ReviewRecord, '_id'>

/** Undefined fields stay as they are. */
export interface ReviewChange {
  name?: string | undefined
  time?: string | undefined
  star?: number | undefined
  review?: string | undefined
}

export interface ContactRecord {
  _id: string
  email: string
  title: string
  message: string
  createdAt: number
  /** When an admin marked it as done; null until then. */
  doneAt: number | null
}
/** `_id`: of a mail, so that it is stored once; else it is made. */
export type NewContact = Omit<ContactRecord, '_id' | 'doneAt'> & Partial<Pick<ContactRecord, '_id'>>
