import type { Challenge, FactorAnswer, FactorKind } from '@proctorpass/shared/schemas/factors'
import { noteRefusal } from '../audit/refused-sign-ins.ts'
import type { Seal } from '../credentials/sealed-text.ts'
import type { UserRecord } from '../storage/port/records.ts'
import type { Storage } from '../storage/port/storage.ts'
import { openedSecret, useAnswer, wrongCode } from './factors.ts'
import { hashOfToken, randomToken } from './session-tokens.ts'
import type { SignInLimits } from './sign-in-limits.ts'

const CHALLENGE_MS = 5 * 60_000

interface SecondStepDeps {
  storage: Pick<Storage, 'users' | 'challenges' | 'audit'>
  limits: SignInLimits
  seal: Seal
  now: () => number
}

/** The second step of a sign-in: a factor, after the right password. */
export interface SecondStep {
  /** `browser` is the cookie of the browser that signs in. */
  ask(user: UserRecord, browser: string): Promise<Challenge>
  /** The user who answered. Throws AppError `unauthorized`, the same for each reason. Any answer spends the challenge. */
  answer(
    input: FactorAnswer & { browser: string; address: string; isKnown: (userId: string) => boolean },
  ): Promise<UserRecord>
}

export function createSecondStep({ storage, limits, seal, now }: SecondStepDeps): SecondStep {
  const idOf = (challenge: string) => hashOfToken(`sign-in ${challenge}`)

  return {
    async ask({ _id: userId, credentialVersion, factors }, browser) {
      const challenge = randomToken()
      const record = { _id: idOf(challenge), userId, boundTo: hashOfToken(browser), credentialVersion }
      await storage.challenges.put({ ...record, sealed: null, expiresAt: now() + CHALLENGE_MS }, now())
      const kinds: FactorKind[] = []
      // Without the secret of the server that sealed it, an app is of no use.
      if (factors.totp !== null && openedSecret(seal, userId, factors.totp.sealed)) kinds.push('totp')
      if (factors.recovery.length > 0) kinds.push('recovery')
      return { message: 'Enter the code from your authenticator app.', challenge, factors: kinds }
    },

    async answer({ challenge, code, recovery, browser, address, isKnown }) {
      const asked = await storage.challenges.take(idOf(challenge), now())
      const isBound = asked !== null && asked.boundTo === hashOfToken(browser)
      const userId = isBound ? asked.userId : ''
      const knownUserId = isBound && isKnown(userId) ? userId : null
      // A count of its own: the right password does not reset that of wrong codes.
      const attempt = await limits.begin({ userName: `code ${userId}`, address, knownUserId })
      const find = async () => {
        const user = isBound ? await storage.users.findById(userId) : null
        return !user?.disabled && user?.credentialVersion === asked?.credentialVersion ? user : null
      }
      const user = await useAnswer(find, { code, recovery }, { users: storage.users, seal, now })
      if (user === null) {
        if (userId !== '') await noteRefusal(storage.audit, { userId, address })
        throw wrongCode()
      }
      await attempt.succeeded()
      return user
    },
  }
}
