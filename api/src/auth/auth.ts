import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import { ID_PATTERN } from '@proctorpass/shared/limits'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import { generatePassword, type Passwords } from '../credentials/passwords.ts'
import type { CredentialChange, SessionRecord, Storage, UserRecord } from '../storage/storage.ts'
import type { SignInLimits } from './sign-in-limits.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** A session that is not refreshed for so long has ended. */
const IDLE_MS = 30 * DAY_MS
/** A session ends so long after its sign-in, however often it is refreshed. */
const SESSION_MS = 90 * DAY_MS
/** How far the clocks of two servers may be apart. What is further in the future was made by a wrong one. */
export const CLOCK_SKEW_MS = 60_000

/** A session that goes on: who it is, and what the browser keeps. */
export interface SignedInUser {
  user: UserRecord
  sid: string
  /** `<sid>.<token>`, for the cookie of the auth calls. */
  refreshToken: string
  /** Milliseconds until the session ends unless it is refreshed. */
  endsInMs: number
}

export interface Auth {
  /**
   * Creates the first admin when there is no user at all. Answers the password when it was generated here and now,
   * which is the only moment at which it can be shown. With `file` it is kept there before the admin is created, and
   * dropped when another server was first.
   */
  createFirstAdmin(
    userName: string,
    password: string | undefined,
    file?: { keep(password: string): Promise<void>; drop(): Promise<void> },
  ): Promise<{ generatedPassword: string | null }>
  /**
   * `known` is what `knownToken` gave to this browser once. `onUser` is called with the id when there is a user of this
   * name, before anything else is known.
   */
  signIn(input: {
    userName: string
    password: string
    address: string
    known: string | undefined
    onUser: (userId: string) => void
  }): Promise<SignedInUser>
  /** The next token of a session, or the same one again while its predecessor may still be out there. */
  refresh(userId: string, refreshToken: string | undefined): Promise<SignedInUser>
  /** Ends the session of this token, however old the token is. Answers whose it was; null when there was none. */
  signOut(refreshToken: string | undefined): Promise<string | null>
  /** A user's living sessions, newest first. */
  sessionsOf(userId: string): Promise<SessionRecord[]>
  /** False when this user has no such session. */
  endSession(userId: string, sid: string): Promise<boolean>
  /** As `UserRepository.changeCredentials`. False when nothing was changed. */
  changeCredentials(userId: string, change: CredentialChange): Promise<boolean>
  /** Who this session belongs to, with the roles of now. Null when it has ended. */
  userOf(sid: string, userId: string): Promise<UserRecord | null>
  /** Whether the session lives and its user is an admin. */
  isAdminSession(sid: string, userId: string): Promise<boolean>
  /** Called, and awaited, before a sign-in is answered. */
  onSignedIn(listener: (userId: string) => Promise<void>): void
  /** Called with the sessions of a user that have ended, so that their connections can be closed. */
  onSessionsEnded(listener: (sids: string[], userId: string) => void): void
  /** What marks a browser on which this user has signed in. */
  knownToken(userId: string): string
}

export interface AuthDeps {
  storage: Storage
  passwords: Passwords
  secret: string
  previousSecret: string | undefined
  limits: SignInLimits
  /** Milliseconds since 1970 UTC. */
  now?: () => number
}

export function createAuth({
  storage,
  passwords,
  secret,
  previousSecret,
  limits,
  now = Date.now,
}: AuthDeps): Auth {
  const signInListeners: ((userId: string) => Promise<void>)[] = []
  const listeners: ((sids: string[], userId: string) => void)[] = []
  // The newest first: it makes; all of them recognise.
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret]
  const refreshKeys = secrets.map((each) => deriveKey(each, 'refresh token'))
  const knownKeys = secrets.map((each) => deriveKey(each, 'known browser'))

  function notifyEnded(sids: string[], userId: string): void {
    if (sids.length > 0) for (const listener of listeners) listener(sids, userId)
  }

  async function end({ _id, userId }: SessionRecord): Promise<void> {
    await storage.sessions.end(_id)
    notifyEnded([_id], userId)
  }

  /** Rows can outlive their sessions: see changeCredentials, older releases, and clocks that were wrong. */
  function isAlive(session: SessionRecord, user: UserRecord): boolean {
    const age = now() - session.createdAt
    if (user.disabled || age < -CLOCK_SKEW_MS || age >= SESSION_MS) return false
    return session.credentialVersion === user.credentialVersion || session._id === user.keptSessionId
  }

  async function findAlive(sid: string): Promise<{ session: SessionRecord; user: UserRecord } | null> {
    const session = await storage.sessions.find(sid, now())
    const user = session === null ? null : await storage.users.findById(session.userId)
    return session !== null && user !== null && isAlive(session, user) ? { session, user } : null
  }

  async function userOf(sid: string, userId: string): Promise<UserRecord | null> {
    const found = await findAlive(sid)
    return found?.user._id === userId ? found.user : null
  }

  function knownUserId(token: string | undefined): string | null {
    const [userId = '', mac = ''] = token?.split('.') ?? []
    return knownKeys.some((key) => isSame(mac, sign(key, userId))) ? userId : null
  }

  /**
   * See docs/decisions/0006-refresh-tokens.md. Whoever loses a race against another tab reads the session again and
   * then finds their token to be the predecessor.
   */
  async function nextToken(
    session: SessionRecord,
    token: string,
  ): Promise<{ token: string; expiresAt: number } | null> {
    const hash = hashOf(token)
    const successors = refreshKeys.map((key) => sign(key, token))
    if (hash === session.currentHash) {
      const [successor = ''] = successors
      const expiresAt = Math.min(now() + IDLE_MS, session.createdAt + SESSION_MS)
      if (await storage.sessions.rotate(session._id, hash, hashOf(successor), expiresAt)) {
        return { token: successor, expiresAt }
      }
      const again = await storage.sessions.find(session._id, now())
      return again === null ? null : nextToken(again, token)
    }
    if (hash === session.previousHash) {
      // None fits when the secret was changed in between without naming the previous one: sign in again.
      const current = successors.find((successor) => hashOf(successor) === session.currentHash)
      return current === undefined ? null : { token: current, expiresAt: session.expiresAt }
    }
    await end(session)
    return null
  }

  return {
    async createFirstAdmin(userName, password, file) {
      if (await storage.users.any()) return { generatedPassword: null }
      const chosen = password ?? generatePassword()
      if (password === undefined) await file?.keep(chosen)
      const user = await storage.users.createFirst({
        userName: userName.normalize('NFKC'),
        passwordHash: await passwords.hash(chosen),
        roles: [ADMIN_ROLE],
        createdAt: now(),
      })
      if (user === null && password === undefined) await file?.drop()
      return { generatedPassword: user !== null && password === undefined ? chosen : null }
    },

    async signIn({ userName, password, address, known, onUser }) {
      const user = await storage.users.findByName(userName)
      if (user !== null) onUser(user._id)
      const attempt = await limits.begin({
        userName,
        address,
        knownUserId: user !== null && knownUserId(known) === user._id ? user._id : null,
      })
      const isRight = await passwords.verify(user?.passwordHash ?? null, password)
      if (!isRight || user === null || user.disabled) throw wrongPassword()
      await attempt.succeeded()
      if (passwords.isOutdated(user.passwordHash)) {
        const { _id, passwordHash } = user
        await storage.users.replacePasswordHash(_id, passwordHash, await passwords.hash(password))
      }
      // Random and not newId's: with a sid that can be guessed, a made-up token could end its session.
      const sid = randomBytes(12).toString('hex')
      const token = randomBytes(32).toString('base64url')
      const session: SessionRecord = {
        _id: sid,
        userId: user._id,
        currentHash: hashOf(token),
        previousHash: null,
        createdAt: now(),
        expiresAt: now() + IDLE_MS,
        credentialVersion: user.credentialVersion,
      }
      await storage.sessions.create(session)
      // When the credentials change meanwhile, the session has ended with its first moment.
      const current = await storage.users.findById(user._id)
      if (current === null || !isAlive(session, current)) {
        await end(session)
        throw wrongPassword()
      }
      for (const listener of signInListeners) await listener(user._id)
      return { user, sid, refreshToken: `${sid}.${token}`, endsInMs: IDLE_MS }
    },

    async refresh(userId, refreshToken) {
      const { sid, token } = parseToken(refreshToken)
      const found = sid === null ? null : await findAlive(sid)
      // Asking in another's name is a mistake of the page, not a stolen token: it ends nothing.
      if (found === null || found.user._id !== userId) throw signInAgain()
      const { session, user } = found
      const next = await nextToken(session, token)
      if (next === null) throw signInAgain()
      const refreshed = `${session._id}.${next.token}`
      return { user, sid: session._id, refreshToken: refreshed, endsInMs: next.expiresAt - now() }
    },

    async signOut(refreshToken) {
      const { sid } = parseToken(refreshToken)
      const session = sid === null ? null : await storage.sessions.find(sid, now())
      // An older token as well: who shows it meant this session, or stole the token.
      if (session !== null) await end(session)
      return session?.userId ?? null
    },

    async sessionsOf(userId) {
      const user = await storage.users.findById(userId)
      const sessions = user === null ? [] : await storage.sessions.listOf(userId, now())
      return sessions.filter((session) => user !== null && isAlive(session, user))
    },

    async endSession(userId, sid) {
      const session = await storage.sessions.find(sid, now())
      if (session?.userId !== userId) return false
      await end(session)
      return true
    },

    async changeCredentials(userId, change) {
      const ended = await storage.users.changeCredentials(userId, change)
      notifyEnded(ended ?? [], userId)
      return ended !== null
    },

    userOf,

    async isAdminSession(sid, userId) {
      return (await userOf(sid, userId))?.roles.includes(ADMIN_ROLE) ?? false
    },

    onSignedIn(listener) {
      signInListeners.push(listener)
    },

    onSessionsEnded(listener) {
      listeners.push(listener)
    },

    knownToken(userId) {
      return `${userId}.${sign(knownKeys[0] as Buffer, userId)}`
    },
  }
}

function wrongPassword(): AppError {
  return new AppError('unauthorized', 'Wrong user name or password.')
}

function signInAgain(): AppError {
  return new AppError('unauthorized', 'Your session has ended. Please sign in again.')
}

/** One secret, a key for each purpose: what is signed for one is worth nothing for another. */
function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `proctorpass ${purpose}`, 32))
}

function sign(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

function parseToken(refreshToken: string | undefined): { sid: string | null; token: string } {
  const [sid = '', token = '', ...rest] = refreshToken?.split('.') ?? []
  const isToken = new RegExp(ID_PATTERN).test(sid) && /^[A-Za-z0-9_-]{43}$/.test(token) && rest.length === 0
  return { sid: isToken ? sid : null, token }
}
