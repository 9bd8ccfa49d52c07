import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import { ID_PATTERN } from '@proctorpass/shared/limits'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import type { SessionRecord, Storage, UserRecord } from '../storage/storage.ts'
import { generatePassword, type Passwords } from './passwords.ts'
import type { SignInLimits } from './sign-in-limits.ts'

export const SESSION_MS = 30 * 24 * 60 * 60 * 1_000

/** A session that goes on: who it is, and what the browser keeps. */
export interface SignedInUser {
  user: UserRecord
  sid: string
  /** `<sid>.<token>`, for the cookie of the auth calls. */
  refreshToken: string
}

export interface Auth {
  /**
   * Creates the first admin when there is no user at all. Answers the password when it was generated here and now,
   * which is the only moment at which it can be shown.
   */
  createFirstAdmin(
    userName: string,
    password: string | undefined,
  ): Promise<{ generatedPassword: string | null }>
  /** `known` is what `knownToken` gave to this browser once. */
  signIn(input: {
    userName: string
    password: string
    address: string
    known: string | undefined
  }): Promise<SignedInUser>
  /** The next token of a session, or the same one again while its predecessor may still be out there. */
  refresh(userId: string, refreshToken: string | undefined): Promise<SignedInUser>
  /** Ends the session of this token, however old the token is. */
  signOut(refreshToken: string | undefined): Promise<void>
  /** Ends one session. */
  endSession(sid: string): Promise<void>
  /** Ends all sessions of a user but `exceptSid`. */
  endSessionsOf(userId: string, exceptSid?: string): Promise<void>
  /** Who this session belongs to, with the roles of now. Null when it has ended. */
  userOf(sid: string, userId: string): Promise<UserRecord | null>
  /** Whether the session lives and its user is an admin. */
  stillGood(sid: string, userId: string): Promise<boolean>
  /** Hears which sessions have ended, so that whoever holds connections of theirs can close them. */
  onSessionEnded(listener: (sids: string[]) => void): void
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
  const listeners: ((sids: string[]) => void)[] = []
  // The newest first: it makes; all of them recognise.
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret]
  const refreshKeys = secrets.map((each) => deriveKey(each, 'refresh token'))
  const knownKeys = secrets.map((each) => deriveKey(each, 'known browser'))

  function tellEnded(sids: string[]): void {
    if (sids.length > 0) for (const listener of listeners) listener(sids)
  }

  async function end(sid: string): Promise<void> {
    await storage.sessions.end(sid)
    tellEnded([sid])
  }

  async function userOf(sid: string, userId: string): Promise<UserRecord | null> {
    const session = await storage.sessions.find(sid, now())
    if (session === null || session.userId !== userId) return null
    const user = await storage.users.findById(userId)
    return user?.disabled ? null : user
  }

  function knownUserId(token: string | undefined): string | null {
    const [userId = '', mac = ''] = token?.split('.') ?? []
    return knownKeys.some((key) => isSame(mac, sign(key, userId))) ? userId : null
  }

  /**
   * See docs/decisions/0006-refresh-tokens.md. Whoever loses a race against another tab reads the session again and
   * then finds their token to be the predecessor.
   */
  async function nextToken(session: SessionRecord, token: string): Promise<string | null> {
    const hash = hashOf(token)
    const successors = refreshKeys.map((key) => sign(key, token))
    if (hash === session.currentHash) {
      const [successor = ''] = successors
      if (await storage.sessions.rotate(session._id, hash, hashOf(successor), now() + SESSION_MS))
        return successor
      const again = await storage.sessions.find(session._id, now())
      return again === null ? null : nextToken(again, token)
    }
    if (hash === session.previousHash) {
      // None fits when the secret was changed in between without naming the previous one: sign in again.
      return successors.find((successor) => hashOf(successor) === session.currentHash) ?? null
    }
    await end(session._id)
    return null
  }

  return {
    async createFirstAdmin(userName, password) {
      const chosen = password ?? generatePassword()
      const user = await storage.users.createFirst({
        userName: userName.normalize('NFKC'),
        passwordHash: await passwords.hash(chosen),
        roles: [ADMIN_ROLE],
        createdAt: now(),
      })
      return { generatedPassword: user !== null && password === undefined ? chosen : null }
    },

    async signIn({ userName, password, address, known }) {
      const user = await storage.users.findByName(userName)
      const attempt = await limits.begin({
        userName,
        address,
        knownUserId: user !== null && knownUserId(known) === user._id ? user._id : null,
      })
      const isRight = await passwords.verify(user?.passwordHash ?? null, password)
      if (!isRight || user === null || user.disabled) throw wrongPassword()
      await attempt.succeeded()
      let { passwordHash } = user
      if (passwords.isOutdated(passwordHash)) {
        passwordHash = await passwords.hash(password)
        await storage.users.setPasswordHash(user._id, passwordHash)
      }
      // Random and not newId's: whoever guessed a sid could end its session with a made-up token.
      const sid = randomBytes(12).toString('hex')
      const token = randomBytes(32).toString('base64url')
      await storage.sessions.create({
        _id: sid,
        userId: user._id,
        currentHash: hashOf(token),
        previousHash: null,
        createdAt: now(),
        expiresAt: now() + SESSION_MS,
      })
      // Whoever changes the password or disables the user meanwhile ends the sessions that are there: not yet this one.
      const current = await storage.users.findById(user._id)
      if (current === null || current.disabled || current.passwordHash !== passwordHash) {
        await end(sid)
        throw wrongPassword()
      }
      return { user, sid, refreshToken: `${sid}.${token}` }
    },

    async refresh(userId, refreshToken) {
      const { sid, token } = parseToken(refreshToken)
      const session = sid === null ? null : await storage.sessions.find(sid, now())
      const user = session === null ? null : await storage.users.findById(session.userId)
      // Asking in another's name is a mistake of the page, not a stolen token: it ends nothing.
      if (session === null || user === null || user.disabled || user._id !== userId) throw signInAgain()
      const next = await nextToken(session, token)
      if (next === null) throw signInAgain()
      return { user, sid: session._id, refreshToken: `${session._id}.${next}` }
    },

    async signOut(refreshToken) {
      const { sid } = parseToken(refreshToken)
      const session = sid === null ? null : await storage.sessions.find(sid, now())
      // An older token as well: who shows it meant this session, or stole the token.
      if (session !== null) await end(session._id)
    },

    endSession: end,

    async endSessionsOf(userId, exceptSid) {
      tellEnded(await storage.sessions.endAllOf(userId, exceptSid))
    },

    userOf,

    async stillGood(sid, userId) {
      return (await userOf(sid, userId))?.roles.includes(ADMIN_ROLE) ?? false
    },

    onSessionEnded(listener) {
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
