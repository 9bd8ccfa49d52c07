import { AppError } from '@proctorpass/shared/errors'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import type { Challenge, FactorAnswer, PasskeyAnswer } from '@proctorpass/shared/schemas/factors'
import { auditEntry } from '../audit/entry.ts'
import { noteRefusal } from '../audit/refused-sign-ins.ts'
import { generatePassword, type Passwords } from '../credentials/passwords.ts'
import type { Seal } from '../credentials/sealed-text.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { Storage } from '../storage/model/storage.ts'
import { hasFactor, type UserRecord } from '../storage/model/users.ts'
import type { FirstPassword } from './first-password.ts'
import type { Passkeys } from './passkeys.ts'
import { createSecondStep } from './second-step.ts'
import { createSessionTokens } from './session-tokens.ts'
import { createSessions, type Requester, type SignedInUser } from './sessions.ts'
import type { SignInLimits } from './sign-in-limits.ts'

export interface AuthDeps {
  storage: Storage
  passwords: Passwords
  secret: string
  previousSecret: string | undefined
  limits: SignInLimits
  passkeys: Passkeys
  seal: Seal
  /** Whether every admin needs a second factor. */
  needsFactor: () => Promise<boolean>
  /** Milliseconds since 1970 UTC. */
  now?: () => number
}

export function createAuth(deps: AuthDeps) {
  const { storage, passwords, secret, previousSecret, limits, passkeys, seal, now = Date.now } = deps
  const tokens = createSessionTokens(secret, previousSecret)
  const sessions = createSessions({ storage, tokens, needsFactor: deps.needsFactor, now })
  const secondStep = createSecondStep({ storage, limits, passkeys, seal, now })
  const listeners: ((userId: string) => Promise<void>)[] = []

  /** Begins a session after a password was checked or chosen. Null if the credentials changed since `user` was read. */
  async function start(user: UserRecord, requester: Requester): Promise<SignedInUser | null> {
    const signedIn = await sessions.start(user, requester)
    if (signedIn !== null) for (const listener of listeners) await listener(user._id)
    return signedIn
  }

  return {
    sessions,

    /**
     * Creates the first admin if the store has no user. Returns the password only if this call generated it. A
     * generated password is saved to `file` before the admin is created, and removed again if another server was first.
     * `ignored` means that a password was given although there is an admin with another password.
     */
    async createFirstAdmin(
      userName: string,
      password: string | undefined,
      file?: Pick<FirstPassword, 'save' | 'remove'>,
    ): Promise<{ generatedPassword: string | null; ignored: boolean }> {
      if (await storage.users.any()) {
        const user = password === undefined ? null : await storage.users.findByName(userName)
        const ignored =
          password !== undefined && !(await passwords.verify(user?.passwordHash ?? null, password))
        return { generatedPassword: null, ignored }
      }
      const chosen = password ?? generatePassword()
      if (password === undefined) await file?.save(chosen)
      const name = userName.normalize('NFKC')
      const passwordHash = await passwords.hash(chosen)
      const first = { userName: name, passwordHash, roles: [ADMIN_ROLE], createdAt: now() }
      const entry = auditEntry(null, 'admin.created', { details: { name } })
      const user = await withEntry(entry, () => storage.users.createFirst(first))
      if (user === null && password === undefined) await file?.remove()
      return { generatedPassword: user !== null && password === undefined ? chosen : null, ignored: false }
    },

    /**
     * @param known what `knownToken` returned for this browser earlier
     * @param onUser called with the ID if a user with this name exists, before the password is checked
     */
    async signIn({
      userName,
      password,
      requester,
      known,
      browser,
      onUser,
    }: {
      userName: string
      password: string
      requester: Requester
      known: string | undefined
      /** The cookie to which a second step is bound. */
      browser: string
      onUser: (userId: string) => void
    }): Promise<SignedInUser | Challenge> {
      const { address } = requester
      const user = await storage.users.findByName(userName)
      if (user !== null) onUser(user._id)
      const attempt = await limits.begin({
        userName,
        address,
        knownUserId: user !== null && tokens.knownUserId(known) === user._id ? user._id : null,
      })
      const isRight = await passwords.verify(user?.passwordHash ?? null, password)
      if (!isRight || user === null || user.disabled || user.inviteHash !== null) {
        if (user !== null) await noteRefusal(storage.audit, { userId: user._id, address })
        throw wrongPassword()
      }
      await attempt.succeeded()
      if (await passwords.isOutdated(user.passwordHash)) {
        const { _id, passwordHash } = user
        await storage.users.replacePasswordHash(_id, passwordHash, await passwords.hash(password))
      }
      if (hasFactor(user)) return secondStep.ask(user, browser)
      const signedIn = await start(user, requester)
      if (signedIn === null) throw wrongPassword()
      return signedIn
    },

    /** Signs in with the second step. Throws an AppError `unauthorized`; any call spends the challenge. */
    async signInWithFactor({
      known,
      requester,
      ...input
    }: FactorAnswer & {
      requester: Requester
      known: string | undefined
      browser: string
    }): Promise<SignedInUser> {
      const isKnown = (userId: string) => tokens.knownUserId(known) === userId
      const user = await secondStep.answer({ ...input, address: requester.address, isKnown })
      const signedIn = await start(user, requester)
      if (signedIn === null) throw wrongPassword()
      return signedIn
    },

    /** Signs in with a passkey alone. Throws the same AppError `unauthorized` for each reason. */
    async signInWithPasskey({
      known,
      requester,
      ...input
    }: {
      response: PasskeyAnswer
      requester: Requester
      known: string | undefined
      browser: string
    }): Promise<SignedInUser> {
      const isKnown = (userId: string) => tokens.knownUserId(known) === userId
      const user = await passkeys.answer({ ...input, address: requester.address, isKnown })
      const signedIn = await start(user, requester)
      if (signedIn === null) throw wrongPassword()
      return signedIn
    },

    /** Asks for a passkey that signs in alone, see `Passkeys.ask`. */
    askForPasskey: passkeys.ask,

    /** Asks for a passkey for this challenge's second step, see `SecondStep.passkeyOptions`. */
    passkeyOptions: secondStep.passkeyOptions,

    start,

    /** The listener is called and awaited before a sign-in is answered. */
    onSignedIn(listener: (userId: string) => Promise<void>): void {
      listeners.push(listener)
    },

    /** Makes the token that marks a browser on which this user has signed in. */
    knownToken: tokens.knownToken,
  }
}

export type Auth = ReturnType<typeof createAuth>

function wrongPassword(): AppError {
  return new AppError('unauthorized', 'Wrong username or password.')
}
