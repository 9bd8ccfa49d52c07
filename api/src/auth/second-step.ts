import { AppError } from '@proctorpass/shared/errors'
import type { Challenge, FactorAnswer, FactorKind, PasskeyOptions } from '@proctorpass/shared/schemas/factors'
import { noteRefusal } from '../audit/refused-sign-ins.ts'
import type { Seal } from '../credentials/sealed-text.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { UserRecord } from '../storage/model/users.ts'
import { openedSecret, useAnswer, useFactor, wrongCode } from './factors.ts'
import { type Passkeys, wrongPasskey } from './passkeys.ts'
import { hashOfToken, randomToken } from './session-tokens.ts'
import type { SignInLimits } from './sign-in-limits.ts'

const CHALLENGE_MS = 5 * 60_000

interface SecondStepDeps {
  storage: Pick<Storage, 'users' | 'challenges' | 'audit'>
  limits: SignInLimits
  passkeys: Passkeys
  seal: Seal
  now: () => number
}

/** Handles the second step of a sign-in, which asks for a factor after the right password. */
export function createSecondStep(deps: SecondStepDeps) {
  const { storage, limits, passkeys, seal, now } = deps
  const idOf = (challenge: string) => hashOfToken(`sign-in ${challenge}`)

  return {
    /** Asks for a factor. `browser` is the cookie of the browser that signs in. */
    async ask({ _id: userId, credentialVersion, factors }: UserRecord, browser: string): Promise<Challenge> {
      const challenge = randomToken()
      const record = { _id: idOf(challenge), userId, boundTo: hashOfToken(browser), credentialVersion }
      await storage.challenges.put({ ...record, sealed: null, expiresAt: now() + CHALLENGE_MS }, now())
      const kinds: FactorKind[] = []
      // An app is useless without the secret of the server that sealed it.
      if (factors.totp !== null && openedSecret(seal, userId, factors.totp.sealed)) kinds.push('totp')
      if (passkeys.relyingParty !== null && factors.passkeys.length > 0) kinds.push('passkey')
      if (factors.recovery.length > 0) kinds.push('recovery')
      return { message: 'Confirm the sign-in with your second factor.', challenge, factors: kinds }
    },

    /**
     * Returns what the browser needs to answer with a passkey, and spends nothing. Throws an AppError `unauthorized`
     * for a challenge that is missing, old, or another browser's.
     */
    async passkeyOptions(challenge: string, browser: string): Promise<PasskeyOptions> {
      const asked = await storage.challenges.find(idOf(challenge), now())
      const isBound = asked?.boundTo === hashOfToken(browser)
      const user = isBound ? await storage.users.findById(asked.userId ?? '') : null
      if (user === null) throw new AppError('unauthorized', 'Enter your password again.')
      return passkeys.askUser(user, challenge)
    },

    /**
     * Returns the user who answered. Throws the same AppError `unauthorized` for each reason. Any answer spends the
     * challenge.
     */
    async answer({
      challenge,
      code,
      recovery,
      passkey,
      browser,
      address,
      isKnown,
    }: FactorAnswer & {
      browser: string
      address: string
      isKnown: (userId: string) => boolean
    }): Promise<UserRecord> {
      const asked = await storage.challenges.take(idOf(challenge), now())
      const isBound = asked !== null && asked.boundTo === hashOfToken(browser)
      const userId = (isBound ? asked.userId : null) ?? ''
      const knownUserId = isBound && isKnown(userId) ? userId : null
      // Codes have a count of their own, so the right password does not reset the count of wrong codes.
      const codeOf = code !== undefined && isBound ? userId : undefined
      const attempt = await limits.begin({ codeOf, address, knownUserId })
      const find = async () => {
        const user = isBound ? await storage.users.findById(userId) : null
        return !user?.disabled && user?.credentialVersion === asked?.credentialVersion ? user : null
      }
      const { users } = storage
      const user =
        passkey === undefined
          ? await useAnswer(find, { code, recovery }, { users, seal, now })
          : await useFactor(
              find,
              (of) => passkeys.judge(of, passkey, { challenge, requireUserVerification: false }),
              users,
            )
      if (user === null) {
        attempt.failed()
        if (userId !== '') await noteRefusal(storage.audit, { userId, address })
        throw passkey === undefined ? wrongCode() : wrongPasskey()
      }
      await attempt.succeeded()
      return user
    },
  }
}
