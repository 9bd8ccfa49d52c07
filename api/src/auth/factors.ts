import { randomInt } from 'node:crypto'
import { AppError, fieldError } from '@proctorpass/shared/errors'
import { RECOVERY_CODES } from '@proctorpass/shared/limits'
import type { Factors as ShownFactors, TotpSetup } from '@proctorpass/shared/schemas/factors'
import { auditEntry } from '../audit/entry.ts'
import type { Seal } from '../credentials/sealed-text.ts'
import type { Factors, UserRecord } from '../storage/port/records.ts'
import type { Storage, UserRepository } from '../storage/port/storage.ts'
import { withEntry } from '../storage/rules/due-entry.ts'
import type { AdminCaller } from './caller.ts'
import { hashOfToken } from './session-tokens.ts'
import type { Sessions } from './sessions.ts'
import { newTotpSecret, stepOfCode, totpUri } from './totp.ts'

const SETUP_MS = 15 * 60_000

/** An admin's use cases of their own second factors. Each change ends their other sessions. */
export interface OwnFactors {
  list(admin: AdminCaller): Promise<ShownFactors>
  /** A new secret, which counts once a code of it confirms that an app has it. Throws as all changes do. */
  beginTotp(admin: AdminCaller): Promise<TotpSetup>
  /**
   * Replaces the authenticator app. Answers recovery codes with the first factor, else none. Throws AppError
   * `invalid-input` for a wrong code, `not-found` without a setup.
   */
  confirmTotp(admin: AdminCaller, code: string): Promise<string[]>
  /** Removes the app and the recovery codes. Throws AppError `not-found`. */
  removeTotp(admin: AdminCaller): Promise<void>
  /** Ten new codes in place of those before. Throws AppError `not-found` without a factor. */
  renewRecovery(admin: AdminCaller): Promise<string[]>
}

interface FactorsDeps {
  storage: Pick<Storage, 'users' | 'challenges'>
  sessions: Pick<Sessions, 'living' | 'changeCredentials'>
  seal: Seal
  brand: string
  /** Milliseconds since 1970 UTC. */
  now: () => number
}

/** @see docs/decisions/0066-second-factors.md */
export function createOwnFactors({ storage, sessions, seal, brand, now }: FactorsDeps): OwnFactors {
  const setupId = (sid: string) => hashOfToken(`totp ${sid}`)

  async function userOf({ sid, userId }: AdminCaller): Promise<UserRecord> {
    const living = await sessions.living(sid, userId)
    if (living === null) throw new AppError('forbidden', 'Your session has expired. Sign in again.')
    return living.user
  }

  async function change(
    admin: AdminCaller,
    user: UserRecord,
    action: 'factor.added' | 'factor.removed' | 'recovery.renewed',
    set: Partial<Omit<Factors, 'version'>>,
  ): Promise<void> {
    const factors = { ...user.factors, ...set, version: user.factors.version + 1 }
    const details = action === 'recovery.renewed' ? {} : { kind: 'totp' }
    const isChanged = await withEntry(auditEntry(admin, action, { details }), () =>
      sessions.changeCredentials(user._id, {
        factors,
        ifVersion: user.credentialVersion,
        keepSessionId: admin.sid,
      }),
    )
    if (!isChanged) throw new AppError('conflict', 'Your account changed meanwhile. Reload the page.')
  }

  return {
    async list({ userId }) {
      const user = await storage.users.findById(userId)
      return { totp: user !== null && hasFactor(user), recovery: user?.factors.recovery.length ?? 0 }
    },

    async beginTotp(admin) {
      const { _id: userId, userName, credentialVersion } = await userOf(admin)
      const secret = newTotpSecret()
      const challenge = {
        ...{ _id: setupId(admin.sid), userId, boundTo: setupId(admin.sid), credentialVersion },
        ...{ sealed: seal.seal(sealPurpose(userId), secret), expiresAt: now() + SETUP_MS },
      }
      await storage.challenges.put(challenge, now())
      return { secret, uri: totpUri(secret, brand, userName) }
    },

    async confirmTotp(admin, code) {
      const user = await userOf(admin)
      const setup = await storage.challenges.find(setupId(admin.sid), now())
      const secret = setup === null ? null : openedSecret(seal, user._id, setup.sealed)
      if (secret === null) throw new AppError('not-found', 'Start the setup of the app again.')
      const lastStep = stepOfCode(secret.text, code, now(), -1)
      if (lastStep === null) {
        throw fieldError('code', "That code isn't right. Check the clock of your phone, and use a new code.")
      }
      const isFirst = !hasFactor(user)
      const codes = isFirst ? newRecoveryCodes() : []
      await change(admin, user, 'factor.added', {
        totp: { sealed: seal.seal(sealPurpose(user._id), secret.text), lastStep },
        recovery: isFirst ? codes.map(hashOfRecovery) : user.factors.recovery,
      })
      await storage.challenges.take(setupId(admin.sid), now())
      return codes
    },

    async removeTotp(admin) {
      const user = await userOf(admin)
      if (!hasFactor(user)) throw noFactor()
      await change(admin, user, 'factor.removed', { totp: null, recovery: [] })
    },

    async renewRecovery(admin) {
      const user = await userOf(admin)
      if (!hasFactor(user)) throw noFactor()
      const codes = newRecoveryCodes()
      await change(admin, user, 'recovery.renewed', { recovery: codes.map(hashOfRecovery) })
      return codes
    },
  }
}

export function hasFactor({ factors }: UserRecord): boolean {
  return factors.totp !== null
}

/** The factors that are left after this answer was used; null when it is wrong, old or used. */
function judgeAnswer(
  { _id, factors }: UserRecord,
  { code, recovery }: { code?: string | undefined; recovery?: string | undefined },
  { seal, now }: { seal: Seal; now: number },
): Factors | null {
  const version = factors.version + 1
  if (factors.totp === null) return null
  if (code !== undefined) {
    const secret = openedSecret(seal, _id, factors.totp.sealed)
    const lastStep = secret === null ? null : stepOfCode(secret.text, code, now, factors.totp.lastStep)
    if (secret === null || lastStep === null) return null
    const sealed = secret.stale ? seal.seal(sealPurpose(_id), secret.text) : factors.totp.sealed
    return { ...factors, version, totp: { sealed, lastStep } }
  }
  const used = recovery === undefined ? '' : hashOfRecovery(recovery)
  if (!factors.recovery.includes(used)) return null
  return { ...factors, version, recovery: factors.recovery.filter((hash) => hash !== used) }
}

/**
 * Uses a code or a recovery code of the user that `find` answers. Null when it is wrong, old or used, or there is no
 * user.
 */
export async function useAnswer(
  find: () => Promise<UserRecord | null>,
  answer: { code?: string | undefined; recovery?: string | undefined },
  { users, seal, now }: { users: Pick<UserRepository, 'useFactor'>; seal: Seal; now: () => number },
): Promise<UserRecord | null> {
  for (;;) {
    const user = await find()
    const left = user === null ? null : judgeAnswer(user, answer, { seal, now: now() })
    if (user === null || left === null) return null
    // False when another answer was first: then this one is judged again by what is left.
    if (await users.useFactor(user._id, left, user.credentialVersion)) return user
  }
}

export function openedSecret(seal: Seal, userId: string, sealed: string | null) {
  return sealed === null ? null : seal.unseal(sealPurpose(userId), sealed)
}

function sealPurpose(userId: string): string {
  return `totp ${userId}`
}

/** 79 bits each, so that a plain hash is enough. */
function newRecoveryCodes(): string[] {
  const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'
  const group = () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: RECOVERY_CODES }, () => Array.from({ length: 4 }, group).join('-'))
}

function hashOfRecovery(code: string): string {
  return hashOfToken(`recovery ${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
}

function noFactor(): AppError {
  return new AppError('not-found', 'You have no authenticator app.')
}

export function wrongCode(): AppError {
  return new AppError('unauthorized', "That code isn't right, or it was used before.")
}
