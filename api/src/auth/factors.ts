import { randomInt } from 'node:crypto'
import { AppError, fieldError } from '@proctorpass/shared/errors'
import { RECOVERY_CODES } from '@proctorpass/shared/limits'
import type { Factors as ShownFactors, TotpSetup } from '@proctorpass/shared/schemas/factors'
import type { Seal } from '../credentials/sealed-text.ts'
import type { Storage } from '../storage/model/storage.ts'
import {
  type Factors,
  hasFactor,
  NO_FACTORS,
  type UserRecord,
  type UserRepository,
} from '../storage/model/users.ts'
import type { AdminCaller } from './caller.ts'
import type { FactorChanges } from './factor-change.ts'
import type { RelyingParty } from './relying-party.ts'
import { hashOfToken } from './session-tokens.ts'
import { newTotpSecret, stepOfCode, totpUri } from './totp.ts'

const SETUP_MS = 15 * 60_000

interface FactorsDeps {
  storage: Pick<Storage, 'users' | 'challenges'>
  changes: FactorChanges
  relyingParty: RelyingParty | null
  seal: Seal
  brand: string
  /** Milliseconds since 1970 UTC. */
  now: () => number
}

/**
 * An admin's use cases for their own second factors, except passkeys (`own-passkeys.ts`). Each change ends their other
 * sessions.
 * @see docs/decisions/0066-second-factors.md
 */
export function createOwnFactors(deps: FactorsDeps) {
  const { storage, changes, relyingParty, seal, brand, now } = deps
  const setupId = (sid: string) => hashOfToken(`totp ${sid}`)

  return {
    async list({ userId }: AdminCaller): Promise<ShownFactors> {
      const { totp, recovery, passkeys } = (await storage.users.findById(userId))?.factors ?? NO_FACTORS
      return {
        passkeys: passkeys.map(({ _id, name, createdAt, lastUsedAt }) => ({
          ...{ _id, name, createdAt: new Date(createdAt).toISOString() },
          lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
        })),
        passkeyOrigin: relyingParty?.origin ?? null,
        totp: totp !== null,
        recovery: recovery.length,
      }
    },

    /** Makes a new secret, which counts once a code confirms that an app has it. */
    async beginTotp(admin: AdminCaller): Promise<TotpSetup> {
      const { _id: userId, userName, credentialVersion } = await changes.userOf(admin)
      const secret = newTotpSecret()
      const challenge = {
        ...{ _id: setupId(admin.sid), userId, boundTo: setupId(admin.sid), credentialVersion },
        ...{ sealed: seal.seal(sealPurpose(userId), secret), expiresAt: now() + SETUP_MS },
      }
      await storage.challenges.put(challenge, now())
      return { secret, uri: totpUri(secret, brand, userName) }
    },

    /**
     * Replaces the authenticator app. Returns recovery codes with the first factor, and none otherwise. Throws an
     * AppError `invalid-input` for a wrong code, and `not-found` without a setup.
     */
    async confirmTotp(admin: AdminCaller, code: string): Promise<string[]> {
      const user = await changes.userOf(admin)
      const setup = await storage.challenges.find(setupId(admin.sid), now())
      const secret = setup === null ? null : openedSecret(seal, user._id, setup.sealed)
      if (secret === null) throw new AppError('not-found', 'Start setting up the app again.')
      const lastStep = stepOfCode(secret.text, code, now(), -1)
      if (lastStep === null) {
        throw fieldError('code', "That code isn't right. Check your phone's clock, and use a new code.")
      }
      const { codes, recovery } = firstRecoveryCodes(user)
      await changes.change(
        admin,
        user,
        { action: 'factor.added', details: { kind: 'totp' } },
        {
          totp: { sealed: seal.seal(sealPurpose(user._id), secret.text), lastStep },
          recovery,
        },
      )
      await storage.challenges.take(setupId(admin.sid), now())
      return codes
    },

    /**
     * Removes the app, and the recovery codes if this was the last factor. Throws an AppError `not-found` without an
     * app.
     */
    async removeTotp(admin: AdminCaller): Promise<void> {
      const user = await changes.userOf(admin)
      if (user.factors.totp === null) throw new AppError('not-found', 'You have no authenticator app.')
      const recovery = recoveryLeft({ ...user.factors, totp: null })
      const what = { action: 'factor.removed', details: { kind: 'totp' } } as const
      await changes.change(admin, user, what, { totp: null, recovery })
    },

    /** Replaces the recovery codes with ten new ones. Throws an AppError `not-found` without a factor. */
    async renewRecovery(admin: AdminCaller): Promise<string[]> {
      const user = await changes.userOf(admin)
      if (!hasFactor(user)) throw new AppError('not-found', 'You have no second factor.')
      const codes = newRecoveryCodes()
      const what = { action: 'recovery.renewed' } as const
      await changes.change(admin, user, what, { recovery: codes.map(hashOfRecovery) })
      return codes
    },

    /** Seals all users' secrets again that only JWT_SECRET_PREVIOUS can open. Ends no session. */
    async sealAgain(): Promise<void> {
      for (const { _id, credentialVersion, factors } of await storage.users.list()) {
        const secret = openedSecret(seal, _id, factors.totp?.sealed ?? null)
        if (factors.totp === null || !secret?.stale) continue
        const totp = { ...factors.totp, sealed: seal.seal(sealPurpose(_id), secret.text) }
        // If a use of the factor was first, that use has sealed it again.
        await storage.users.useFactor(
          _id,
          { ...factors, version: factors.version + 1, totp },
          credentialVersion,
        )
      }
    },
  }
}

export type OwnFactors = ReturnType<typeof createOwnFactors>

/** Returns new codes if the user had no factor, or else the remaining ones. */
export function firstRecoveryCodes(user: UserRecord): { codes: string[]; recovery: readonly string[] } {
  if (hasFactor(user)) return { codes: [], recovery: user.factors.recovery }
  const codes = newRecoveryCodes()
  return { codes, recovery: codes.map(hashOfRecovery) }
}

/** Returns the recovery codes that remain: none without a factor. */
export function recoveryLeft(factors: Factors): readonly string[] {
  return hasFactor({ factors }) ? factors.recovery : []
}

/** Returns the factors that remain after this answer was used; null if the answer is wrong, old, or used. */
function judgeAnswer(
  { _id, factors }: UserRecord,
  { code, recovery }: { code?: string | undefined; recovery?: string | undefined },
  { seal, now }: { seal: Seal; now: number },
): Factors | null {
  const version = factors.version + 1
  if (code !== undefined) {
    if (factors.totp === null) return null
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
 * Uses a code or a recovery code of the user that `find` returns. Null if the answer is wrong, old, or used, or if
 * there is no user.
 */
export function useAnswer(
  find: () => Promise<UserRecord | null>,
  answer: { code?: string | undefined; recovery?: string | undefined },
  { users, seal, now }: { users: Pick<UserRepository, 'useFactor'>; seal: Seal; now: () => number },
): Promise<UserRecord | null> {
  return useFactor(find, (user) => judgeAnswer(user, answer, { seal, now: now() }), users)
}

/**
 * Stores the factors that `judge` returns for the user that `find` returns, and then returns the user. Null if either
 * returns null.
 */
export async function useFactor(
  find: () => Promise<UserRecord | null>,
  judge: (user: UserRecord) => Factors | null | Promise<Factors | null>,
  users: Pick<UserRepository, 'useFactor'>,
): Promise<UserRecord | null> {
  for (;;) {
    const user = await find()
    const left = user === null ? null : await judge(user)
    if (user === null || left === null) return null
    // False means that another use was first. This use is then judged again by the factors that remain.
    if (await users.useFactor(user._id, left, user.credentialVersion)) return user
  }
}

export function openedSecret(seal: Seal, userId: string, sealed: string | null) {
  return sealed === null ? null : seal.unseal(sealPurpose(userId), sealed)
}

function sealPurpose(userId: string): string {
  return `totp ${userId}`
}

/** Each code has 79 random bits, so a plain hash is enough. */
function newRecoveryCodes(): string[] {
  const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'
  const group = () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: RECOVERY_CODES }, () => Array.from({ length: 4 }, group).join('-'))
}

function hashOfRecovery(code: string): string {
  return hashOfToken(`recovery ${code.toLowerCase().replace(/[^a-z0-9]/g, '')}`)
}

export function wrongCode(): AppError {
  return new AppError('unauthorized', "That code isn't right, or it was used before.")
}
