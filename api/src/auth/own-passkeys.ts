import { AppError, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { PASSKEY_NAME_FIELD } from '@proctorpass/shared/fields/passkey'
import { PASSKEYS_MAX } from '@proctorpass/shared/limits'
import type { NewPasskey, PasskeyOptions } from '@proctorpass/shared/schemas/factors'
import type { AuthenticatorTransport } from '@simplewebauthn/server'
import { newId } from '../storage/model/ids.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { PasskeyRecord, UserRecord } from '../storage/model/users.ts'
import type { AdminCaller } from './caller.ts'
import { accountChanged, type FactorChanges } from './factor-change.ts'
import { firstRecoveryCodes, recoveryLeft } from './factors.ts'
import { offered, userHandleOf, webAuthn } from './passkeys.ts'
import type { RelyingParty } from './relying-party.ts'
import { hashOfToken, randomToken } from './session-tokens.ts'

const SETUP_MS = 15 * 60_000
/** EdDSA, ES256, and RS256 in COSE. Every authenticator has one of them. */
const ALGORITHMS = [-8, -7, -257]

interface OwnPasskeysDeps {
  storage: Pick<Storage, 'users' | 'challenges'>
  changes: FactorChanges
  relyingParty: RelyingParty | null
  brand: string
  /** Milliseconds since 1970 UTC. */
  now: () => number
}

/**
 * An admin's use cases for their own passkeys.
 * @see docs/decisions/0072-passkeys.md
 */
export function createOwnPasskeys(deps: OwnPasskeysDeps) {
  const { storage, changes, relyingParty, brand, now } = deps
  const idOf = (challenge: string) => hashOfToken(`new passkey ${challenge}`)

  async function withRoom(admin: AdminCaller): Promise<UserRecord> {
    const user = await changes.userOf(admin)
    if (user.factors.passkeys.length < PASSKEYS_MAX) return user
    throw new AppError('conflict', `You have ${PASSKEYS_MAX} passkeys. Remove one that you no longer use.`)
  }

  /** Returns the credential; null if it was made at another origin, for another challenge, or not at all. */
  async function verified({ userId, sid }: AdminCaller, response: NewPasskey['response']) {
    const { id: expectedRPID, origin: expectedOrigin } = offered(relyingParty)
    const { verifyRegistrationResponse } = await webAuthn()
    try {
      const { registrationInfo } = await verifyRegistrationResponse({
        response: response as Parameters<typeof verifyRegistrationResponse>[0]['response'],
        expectedOrigin,
        expectedRPID,
        supportedAlgorithmIDs: ALGORITHMS,
        // An authenticator that cannot verify its user is a second factor, and does not sign in alone.
        requireUserVerification: false,
        async expectedChallenge(challenge) {
          const asked = await storage.challenges.take(idOf(challenge), now())
          return asked?.userId === userId && asked.boundTo === hashOfToken(sid)
        },
      })
      return registrationInfo?.credential ?? null
    } catch {
      // The library throws for anything that is wrong with an answer.
      return null
    }
  }

  return {
    /**
     * Returns what the browser needs to make the passkey. Throws an AppError `conflict` where browsers refuse passkeys,
     * or if there are already PASSKEYS_MAX.
     */
    async begin(admin: AdminCaller): Promise<PasskeyOptions> {
      const { id: rpID, origin } = offered(relyingParty)
      const { _id: userId, userName, displayName, credentialVersion, factors } = await withRoom(admin)
      const challenge = randomToken()
      const record = { _id: idOf(challenge), userId, boundTo: hashOfToken(admin.sid), credentialVersion }
      await storage.challenges.put({ ...record, sealed: null, expiresAt: now() + SETUP_MS }, now())
      const { generateRegistrationOptions } = await webAuthn()
      const options = await generateRegistrationOptions({
        ...{ rpID, rpName: brand, userName, userDisplayName: displayName ?? userName },
        ...{
          userID: userHandleOf(userId),
          challenge: Buffer.from(challenge, 'base64url'),
          timeout: SETUP_MS,
        },
        supportedAlgorithmIDs: ALGORITHMS,
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
        excludeCredentials: factors.passkeys.map(({ credentialId, transports }) => ({
          id: credentialId,
          transports: transports as AuthenticatorTransport[],
        })),
      })
      return { origin, options: { ...options } }
    },

    /**
     * Adds the passkey that the browser made. Returns recovery codes with the first factor, and none otherwise. Throws
     * an AppError `invalid-input` with a detail for `name` or `response`, and `conflict`.
     */
    async add(admin: AdminCaller, input: NewPasskey): Promise<string[]> {
      const { name } = checkFields({ name: PASSKEY_NAME_FIELD }, { name: input.name })
      const user = await withRoom(admin)
      const credential = await verified(admin, input.response)
      const { passkeys } = user.factors
      if (credential === null || passkeys.some(({ credentialId }) => credentialId === credential.id)) {
        throw fieldError('response', "That passkey couldn't be added. Start again.")
      }
      const passkey: PasskeyRecord = {
        ...{ _id: newId(now()), credentialId: credential.id, counter: credential.counter, name },
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        transports: input.response.response.transports ?? [],
        ...{ createdAt: now(), lastUsedAt: null },
      }
      const { codes, recovery } = firstRecoveryCodes(user)
      await changes.change(
        admin,
        user,
        { action: 'factor.added', details: { kind: 'passkey', name } },
        { passkeys: [...passkeys, passkey], recovery },
      )
      return codes
    },

    /**
     * Renames a passkey and ends no session. Throws an AppError `invalid-input` with a detail for `name`, and
     * `not-found`.
     */
    async rename({ userId }: AdminCaller, id: string, newName: string): Promise<void> {
      const { name } = checkFields({ name: PASSKEY_NAME_FIELD }, { name: newName })
      const user = await storage.users.findById(userId)
      if (user === null || !user.factors.passkeys.some(({ _id }) => _id === id)) throw notFound()
      const { version, passkeys } = user.factors
      const renamed = passkeys.map((each) => (each._id === id ? { ...each, name } : each))
      const factors = { ...user.factors, version: version + 1, passkeys: renamed }
      if (!(await storage.users.useFactor(userId, factors, user.credentialVersion))) throw accountChanged()
    },

    /**
     * Removes a passkey, and the recovery codes if this was the last factor. Throws an AppError `not-found` for an
     * unknown one.
     */
    async remove(admin: AdminCaller, id: string): Promise<void> {
      const user = await changes.userOf(admin)
      const removed = user.factors.passkeys.find(({ _id }) => _id === id)
      if (removed === undefined) throw notFound()
      const passkeys = user.factors.passkeys.filter((each) => each !== removed)
      await changes.change(
        admin,
        user,
        { action: 'factor.removed', details: { kind: 'passkey', name: removed.name } },
        { passkeys, recovery: recoveryLeft({ ...user.factors, passkeys }) },
      )
    },
  }
}

export type OwnPasskeys = ReturnType<typeof createOwnPasskeys>

function notFound(): AppError {
  return new AppError('not-found', 'Passkey not found.')
}
