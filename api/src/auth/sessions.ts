import { deviceOf } from '@proctorpass/shared/device'
import { AppError } from '@proctorpass/shared/errors'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import { type Actor, auditEntry, auditNetwork } from '../audit/entry.ts'
import { type NewAuditEntry, withEntry } from '../storage/model/audit.ts'
import type { SessionRecord, SessionUse } from '../storage/model/sessions.ts'
import type { Storage } from '../storage/model/storage.ts'
import {
  type CredentialChange,
  hasFactor,
  type UserRecord,
  type UserRepository,
} from '../storage/model/users.ts'
import { hashOfToken, parseRefreshToken, randomSession, type SessionTokens } from './session-tokens.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** A session ends this long after its last refresh. */
const IDLE_MS = 30 * DAY_MS
/** A session ends this long after its sign-in, even if it is refreshed. */
const SESSION_MS = 90 * DAY_MS
/** Signing in or confirming opens the CONFIRMED_ROUTES for this long. */
const CONFIRMED_MS = 15 * 60_000
/** Longer than an access token is valid. While browsers use a session, they refresh it at least this often. */
const USED_MS = 16 * 60_000
/** How far the clocks of two servers may differ. Later timestamps come from a wrong clock. */
export const CLOCK_SKEW_MS = 60_000

/** A living session: its user, and the token for the browser's cookie. */
export interface SignedInUser {
  user: UserRecord
  sid: string
  /** `<sid>.<token>`, for the cookie of the auth calls. */
  refreshToken: string
  /** Milliseconds until the session ends unless it is refreshed. */
  endsInMs: number
}

export interface LivingSession {
  user: UserRecord
  /** Whether every admin needs a second factor and this one has none. Only its setup is open to them. */
  lacksFactor: boolean
  /** Whether the user signed in or confirmed within CONFIRMED_MS. */
  isConfirmed: boolean
}

/** The network address and the browser that sent a request. */
export interface Requester {
  address: string
  userAgent: string | undefined
}

interface SessionsDeps {
  storage: Storage
  tokens: SessionTokens
  /** Whether every admin needs a second factor. */
  needsFactor: () => Promise<boolean>
  /** Milliseconds since 1970 UTC. */
  now: () => number
}

/** @see docs/decisions/0038-secrets-and-sessions.md */
export function createSessions({ storage, tokens, needsFactor, now }: SessionsDeps) {
  const listeners: ((sids: string[], userId: string) => void)[] = []

  function notifyEnded(sids: string[], userId: string): void {
    if (sids.length > 0) for (const listener of listeners) listener(sids, userId)
  }

  async function end({ _id, userId }: SessionRecord, entry?: NewAuditEntry): Promise<void> {
    const write = () => storage.sessions.end(_id)
    await (entry === undefined ? write() : withEntry(entry, write))
    notifyEnded([_id], userId)
  }

  async function findAlive(sid: string): Promise<{ session: SessionRecord; user: UserRecord } | null> {
    const session = await storage.sessions.find(sid, now())
    const user = session === null ? null : await storage.users.findById(session.userId)
    return session !== null && user !== null && isAlive(session, user, now()) ? { session, user } : null
  }

  /** Returns a living session and its user with the current roles; null if the session has ended. */
  async function living(sid: string, userId: string): Promise<LivingSession | null> {
    const found = await findAlive(sid)
    if (found?.user._id !== userId) return null
    const age = now() - found.session.confirmedAt
    const lacksFactor = !hasFactor(found.user) && (await needsFactor())
    return { user: found.user, lacksFactor, isConfirmed: age >= -CLOCK_SKEW_MS && age <= CONFIRMED_MS }
  }

  /**
   * Returns the next token. If another tab rotates the session first, the second read finds `token` to be the
   * predecessor.
   */
  async function nextToken(
    session: SessionRecord,
    token: string,
    requester: Requester,
  ): Promise<{ token: string; expiresAt: number } | null> {
    const hash = hashOfToken(token)
    const successors = tokens.successorsOf(token)
    if (hash === session.currentHash) {
      const [successor = ''] = successors
      const expiresAt = Math.min(now() + IDLE_MS, session.createdAt + SESSION_MS)
      const use = { expiresAt, ...useBy(requester, now()) }
      if (await storage.sessions.rotate(session._id, hash, hashOfToken(successor), use)) {
        return { token: successor, expiresAt }
      }
      const again = await storage.sessions.find(session._id, now())
      return again === null ? null : nextToken(again, token, requester)
    }
    if (hash === session.previousHash) {
      // No successor matches if the secret changed in between and JWT_SECRET_PREVIOUS is not set.
      const current = successors.find((successor) => hashOfToken(successor) === session.currentHash)
      return current === undefined ? null : { token: current, expiresAt: session.expiresAt }
    }
    await end(session)
    return null
  }

  /** Returns a user's living sessions, newest first. */
  async function listOf(userId: string): Promise<SessionRecord[]> {
    const user = await storage.users.findById(userId)
    if (user === null) return []
    return (await storage.sessions.listOf(userId, now())).filter((session) => isAlive(session, user, now()))
  }

  return {
    /** Starts a new session; null if the user's credentials changed since `user` was read. */
    async start(user: UserRecord, requester: Requester): Promise<SignedInUser | null> {
      const { sid, token } = randomSession()
      const session: SessionRecord = {
        _id: sid,
        userId: user._id,
        currentHash: hashOfToken(token),
        previousHash: null,
        createdAt: now(),
        expiresAt: now() + IDLE_MS,
        credentialVersion: user.credentialVersion,
        confirmedAt: now(),
        ...useBy(requester, now()),
      }
      const entry = auditEntry({ userId: user._id, address: requester.address }, 'session.started')
      await withEntry(entry, () => storage.sessions.create(session))
      const current = await storage.users.findById(user._id)
      if (current === null || !isAlive(session, current, now())) {
        await end(session)
        return null
      }
      return { user, sid, refreshToken: `${sid}.${token}`, endsInMs: IDLE_MS }
    },

    /**
     * Returns a session's next token, or the same one again while its predecessor may still be in use. Throws an
     * AppError `unauthorized` if there is no such session.
     */
    async refresh(
      userId: string,
      refreshToken: string | undefined,
      requester: Requester,
    ): Promise<SignedInUser> {
      const parsed = parseRefreshToken(refreshToken)
      const found = parsed === null ? null : await findAlive(parsed.sid)
      // A wrong user ID is the page's mistake and not a stolen token, so it ends no session.
      const next =
        parsed === null || found?.user._id !== userId
          ? null
          : await nextToken(found.session, parsed.token, requester)
      if (parsed === null || found === null || next === null) {
        throw new AppError('unauthorized', 'Your session has ended. Sign in again.')
      }
      const { sid } = parsed
      return {
        user: found.user,
        sid,
        refreshToken: `${sid}.${next.token}`,
        endsInMs: next.expiresAt - now(),
      }
    },

    /** Ends this token's session, even if the token is old. Returns its user's ID; null if there was no session. */
    async signOut(refreshToken: string | undefined, address: string): Promise<string | null> {
      const parsed = parseRefreshToken(refreshToken)
      const session = parsed === null ? null : await storage.sessions.find(parsed.sid, now())
      // An older token also ends the session, because its holder means this session, or stole the token.
      if (session === null) return null
      const { userId } = session
      await end(session, auditEntry({ userId, address }, 'session.left'))
      return userId
    },

    listOf,

    /** Whether a living session was begun or refreshed within USED_MS. */
    async usedOfLate(userId: string): Promise<boolean> {
      return (await listOf(userId)).some((session) => lastUseOf(session) > now() - USED_MS)
    },

    /** Ends a session of the user. Returns false if they have no such session. */
    async end(actor: Actor, sid: string): Promise<boolean> {
      const session = await storage.sessions.find(sid, now())
      if (session?.userId !== actor.userId) return false
      const { device, network } = session
      const details = { ...(device && { device }), ...(network && { network }) }
      await end(session, auditEntry(actor, 'session.ended', { details }))
      return true
    },

    /**
     * Does what `UserRepository.changeCredentials` does, and tells listeners which sessions ended. Returns false if
     * nothing was changed.
     */
    async changeCredentials(userId: string, change: CredentialChange): Promise<boolean> {
      const ended = await storage.users.changeCredentials(userId, change)
      notifyEnded(ended ?? [], userId)
      return ended !== null
    },

    /** Does what `UserRepository.disable` does, and tells listeners which sessions ended. */
    async disable(userId: string): ReturnType<UserRepository['disable']> {
      const done = await storage.users.disable(userId)
      if (done.outcome === 'disabled') notifyEnded(done.ended, userId)
      return done
    },

    living,

    /** Notes that the session's user has just proved who they are. Returns false if the session has ended. */
    confirm: (sid: string): Promise<boolean> => storage.sessions.confirm(sid, now()),

    /** Whether the session lives and its user is an admin, with a second factor if every admin needs one. */
    async isAdminSession(sid: string, userId: string): Promise<boolean> {
      const session = await living(sid, userId)
      return session !== null && !session.lacksFactor && session.user.roles.includes(ADMIN_ROLE)
    },

    /** The listener is called with a user's sessions that have ended, so that their connections can be closed. */
    onEnded(listener: (sids: string[], userId: string) => void): void {
      listeners.push(listener)
    },
  }
}

export type Sessions = ReturnType<typeof createSessions>

/**
 * Whether the session still lives. Rows can outlive their sessions: after changeCredentials, from older releases, and
 * because of wrong clocks.
 */
function isAlive(session: SessionRecord, user: UserRecord, at: number): boolean {
  const age = at - session.createdAt
  if (user.disabled || age < -CLOCK_SKEW_MS || age >= SESSION_MS) return false
  return session.credentialVersion === user.credentialVersion || session._id === user.keptSessionId
}

/**
 * Returns when the session was last used. For older releases' sessions that is their sign-in, because they do not tell.
 */
export function lastUseOf({ createdAt, usedAt }: SessionRecord): number {
  return Math.max(createdAt, usedAt)
}

function useBy({ address, userAgent }: Requester, usedAt: number): Omit<SessionUse, 'expiresAt'> {
  return { usedAt, device: deviceOf(userAgent), network: auditNetwork(address) }
}
