import { AppError } from '@proctorpass/shared/errors'
import type { PasskeyAnswer, PasskeyOptions } from '@proctorpass/shared/schemas/factors'
import type { AuthenticatorTransport } from '@simplewebauthn/server'
import { noteRefusal } from '../audit/refused-sign-ins.ts'
import type { Limits } from '../limits/limits.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Factors, UserRecord } from '../storage/model/users.ts'
import { useFactor } from './factors.ts'
import type { RelyingParty } from './relying-party.ts'
import { hashOfToken, randomToken } from './session-tokens.ts'
import type { SignInLimits } from './sign-in-limits.ts'

const CHALLENGE_MS = 5 * 60_000

/** The library is loaded when it is first used, because most servers have no passkeys, and it takes 10 MB. */
export const webAuthn = () => import('@simplewebauthn/server')

interface PasskeysDeps {
  storage: Pick<Storage, 'users' | 'challenges' | 'audit'>
  limits: Pick<Limits, 'take'>
  signInLimits: SignInLimits
  relyingParty: RelyingParty | null
  /** Milliseconds since 1970 UTC. */
  now: () => number
}

/**
 * Asks for passkeys and judges what they signed.
 * @see docs/decisions/0072-passkeys.md
 */
export function createPasskeys(deps: PasskeysDeps) {
  const { storage, limits, signInLimits, relyingParty, now } = deps
  const idOf = (challenge: string) => hashOfToken(`passkey ${challenge}`)

  async function optionsFor(
    challenge: string,
    rest: { userVerification: 'required' | 'preferred'; allowCredentials?: Allowed[] },
  ): Promise<PasskeyOptions> {
    const { id: rpID, origin } = offered(relyingParty)
    const { generateAuthenticationOptions } = await webAuthn()
    const options = await generateAuthenticationOptions({
      ...{ rpID, challenge: Buffer.from(challenge, 'base64url'), timeout: CHALLENGE_MS },
      ...rest,
    })
    return { origin, options: { ...options } }
  }

  /** Returns the user's factors after this use; null if the answer is wrong, or if the passkey's counter went back. */
  async function judge(
    user: UserRecord,
    response: PasskeyAnswer,
    { challenge, requireUserVerification }: { challenge: string; requireUserVerification: boolean },
  ): Promise<Factors | null> {
    const { factors } = user
    const passkey = factors.passkeys.find(({ credentialId }) => credentialId === response.id)
    if (passkey === undefined || relyingParty === null) return null
    const { verifyAuthenticationResponse } = await webAuthn()
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response,
        expectedChallenge: challenge,
        expectedOrigin: relyingParty.origin,
        expectedRPID: relyingParty.id,
        requireUserVerification,
        credential: {
          id: passkey.credentialId,
          publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
          counter: passkey.counter,
        },
      })
      if (!verified) return null
      const used = { ...passkey, counter: authenticationInfo.newCounter, lastUsedAt: now() }
      const passkeys = factors.passkeys.map((each) => (each === passkey ? used : each))
      return { ...factors, version: factors.version + 1, passkeys }
    } catch {
      // The library throws for anything that is wrong with an answer.
      return null
    }
  }

  return {
    /** Null if browsers refuse passkeys at PUBLIC_URL. */
    relyingParty,
    judge,

    /**
     * Asks a question that any user's passkey may answer once within five minutes, in the browser with this cookie.
     * Throws an AppError `conflict` without a relying party, and `rate-limited`.
     */
    async ask(browser: string, address: string): Promise<PasskeyOptions & { challenge: string }> {
      offered(relyingParty)
      await limits.take('passkey', address)
      const challenge = randomToken()
      const record = { _id: idOf(challenge), userId: null, boundTo: hashOfToken(browser) }
      const expiresAt = now() + CHALLENGE_MS
      await storage.challenges.put({ ...record, credentialVersion: 0, sealed: null, expiresAt }, now())
      return { challenge, ...(await optionsFor(challenge, { userVerification: 'required' })) }
    },

    /** Asks as `ask` does, for one user's passkeys and for the challenge of their second step. */
    askUser({ factors }: UserRecord, challenge: string): Promise<PasskeyOptions> {
      const allowCredentials = factors.passkeys.map(({ credentialId, transports }) => ({
        id: credentialId,
        transports: transports as AuthenticatorTransport[],
      }))
      return optionsFor(challenge, { userVerification: 'preferred', allowCredentials })
    },

    /**
     * Returns the user whose passkey answered a question of `ask` with user verification, which is enough to sign in
     * alone, or to confirm who uses a session. Throws the same AppError `unauthorized` for each reason. Any answer
     * spends the question.
     */
    async answer({
      response,
      browser,
      address,
      isKnown,
    }: {
      response: PasskeyAnswer
      browser: string
      address: string
      isKnown: (userId: string) => boolean
    }): Promise<UserRecord> {
      const challenge = challengeIn(response)
      const asked = challenge === null ? null : await storage.challenges.take(idOf(challenge), now())
      const isBound = asked !== null && asked.boundTo === hashOfToken(browser)
      const userId = isBound ? userIdIn(response) : ''
      const knownUserId = isBound && isKnown(userId) ? userId : null
      const attempt = await signInLimits.begin({ address, knownUserId })
      const find = async () => {
        const user = userId === '' ? null : await storage.users.findById(userId)
        return user?.disabled ? null : user
      }
      const judgeIt = (user: UserRecord) =>
        challenge === null ? null : judge(user, response, { challenge, requireUserVerification: true })
      const user = await useFactor(find, judgeIt, storage.users)
      if (user === null) {
        if ((await find()) !== null) await noteRefusal(storage.audit, { userId, address })
        throw wrongPasskey()
      }
      await attempt.succeeded()
      return user
    },
  }
}

export type Passkeys = ReturnType<typeof createPasskeys>

export function wrongPasskey(): AppError {
  return new AppError('unauthorized', "That passkey didn't work. Try again, or sign in another way.")
}

type Allowed = { id: string; transports: AuthenticatorTransport[] }

/** Throws an AppError `conflict` where browsers refuse passkeys. */
export function offered(relyingParty: RelyingParty | null): RelyingParty {
  if (relyingParty !== null) return relyingParty
  throw new AppError('conflict', "Passkeys need HTTPS and a domain name, which this server doesn't have.")
}

/** Returns the user handle, by which a passkey knows its user. */
export function userHandleOf(userId: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(userId)
}

function userIdIn({ response }: PasskeyAnswer): string {
  return Buffer.from(response.userHandle ?? '', 'base64url').toString()
}

/** Returns the challenge that an answer says it signed; null if the answer is not JSON. */
export function challengeIn({ response }: PasskeyAnswer): string | null {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString())
    return typeof challenge === 'string' ? challenge : null
  } catch {
    return null
  }
}
