import { AppError, fieldError } from '@proctorpass/shared/errors'
import type { PasskeyAnswer, Proof } from '@proctorpass/shared/schemas/factors'
import { noteRefusal } from '../audit/refused-sign-ins.ts'
import type { Passwords } from '../credentials/passwords.ts'
import type { Seal } from '../credentials/sealed-text.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { AdminCaller } from './caller.ts'
import { useAnswer, wrongCode } from './factors.ts'
import { type Passkeys, wrongPasskey } from './passkeys.ts'
import type { Sessions } from './sessions.ts'
import type { SignInLimits } from './sign-in-limits.ts'

/**
 * Confirms an admin's session after they proved again who they are. Throws an AppError `unauthorized` for a wrong
 * proof, which counts as a failed sign-in, and `invalid-input` without a proof. `browser` is the cookie to which the
 * question for a passkey is bound.
 */
export type ConfirmSession = (admin: AdminCaller, proof: Proof & { browser: string }) => Promise<void>

interface ConfirmationDeps {
  storage: Pick<Storage, 'users' | 'audit'>
  sessions: Pick<Sessions, 'confirm'>
  passwords: Pick<Passwords, 'verify'>
  passkeys: Pick<Passkeys, 'answer'>
  limits: SignInLimits
  seal: Seal
  /** Milliseconds since 1970 UTC. */
  now: () => number
}

/** @see docs/decisions/0074-confirmations.md */
export function createConfirmation(deps: ConfirmationDeps): ConfirmSession {
  const { storage, sessions, passwords, passkeys, limits, seal, now } = deps

  // No attempt counts as one from a known browser, because the thief of a session must not guess faster than others.
  async function checkPasskey({ userId, address }: AdminCaller, response: PasskeyAnswer, browser: string) {
    const user = await passkeys.answer({ response, browser, address, isKnown: () => false })
    if (user._id !== userId) throw wrongPasskey()
  }

  async function checkText(admin: AdminCaller, { password, code }: Proof): Promise<void> {
    const { userId, userName, address } = admin
    if (password === undefined && code === undefined) throw fieldError('password', 'Enter your password')
    // These are the same counts as for signing in.
    const guessed = code === undefined ? { userName } : { codeOf: userId }
    const attempt = await limits.begin({ ...guessed, address, knownUserId: null })
    const find = () => storage.users.findById(userId)
    const isRight =
      code === undefined
        ? await passwords.verify((await find())?.passwordHash ?? null, password ?? '')
        : (await useAnswer(find, { code }, { users: storage.users, seal, now })) !== null
    if (!isRight) {
      attempt.failed()
      await noteRefusal(storage.audit, admin, 'confirmation.refused')
      throw code === undefined ? new AppError('unauthorized', "That's not your password.") : wrongCode()
    }
    await attempt.succeeded()
  }

  return async function confirm(admin, { passkey, browser, ...text }) {
    if (passkey === undefined) await checkText(admin, text)
    else await checkPasskey(admin, passkey, browser)
    if (!(await sessions.confirm(admin.sid))) {
      throw new AppError('forbidden', 'Your session has expired. Sign in again.')
    }
  }
}
