import { AppError } from '@proctorpass/shared/errors'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import type {
  Challenge,
  FactorAnswer,
  PasskeyAnswer,
  PasskeyOptions,
} from '@proctorpass/shared/schemas/factors'
import { auditEntry } from '../audit/entry.ts'
import { noteRefusal } from '../audit/refused-sign-ins.ts'
import { generatePassword, type Passwords } from '../credentials/passwords.ts'
import type { Seal } from '../credentials/sealed-text.ts'
import type { UserRecord } from '../storage/port/records.ts'
import type { Storage } from '../storage/port/storage.ts'
import { withEntry } from '../storage/rules/due-entry.ts'
import type { FirstPassword } from './first-password.ts'
import { hasFactor } from './has-factor.ts'
import type { Passkeys } from './passkeys.ts'
import { createSecondStep } from './second-step.ts'
import { createSessionTokens } from './session-tokens.ts'
import { createSessions, type Requester, type Sessions, type SignedInUser } from './sessions.ts'
import type { SignInLimits } from './sign-in-limits.ts'

export interface Auth {
  readonly sessions: Sessions
  /**
   * Creates the first admin when the store has no user. Answers the password only when this call generated it. A
   * generated password is saved to `file` before the admin is created, and removed again when another server was first.
   * `ignored`: a password was given, but there is an admin, who has another one.
   */
  createFirstAdmin(
    userName: string,
    password: string | undefined,
    file?: Pick<FirstPassword, 'save' | 'remove'>,
  ): Promise<{ generatedPassword: string | null; ignored: boolean }>
  /**
   * @param known what `knownToken` answered for this browser earlier
   * @param onUser called with the id when a user of this name exists, before the password is checked
   */
  signIn(input: {
    userName: string
    password: string
    requester: Requester
    known: string | undefined
    /** The cookie that a second step is bound to. */
    browser: string
    onUser: (userId: string) => void
  }): Promise<SignedInUser | Challenge>
  /** The second step. Throws AppError `unauthorized`; any call spends the challenge. */
  signInWithFactor(
    input: FactorAnswer & { requester: Requester; known: string | undefined; browser: string },
  ): Promise<SignedInUser>
  /** With a passkey alone. Throws AppError `unauthorized`, the same for each reason. */
  signInWithPasskey(input: {
    response: PasskeyAnswer
    requester: Requester
    known: string | undefined
    browser: string
  }): Promise<SignedInUser>
  /** To sign in with a passkey alone. As `Passkeys.ask`. */
  askForPasskey: Passkeys['ask']
  /** For the second step of the sign-in with this challenge. As `SecondStep.passkeyOptions`. */
  passkeyOptions(challenge: string, browser: string): Promise<PasskeyOptions>
  /** Begins a session after a password was checked or chosen. Null when the credentials changed since `user` was read. */
  start(user: UserRecord, requester: Requester): Promise<SignedInUser | null>
  /** Called, and awaited, before a sign-in is answered. */
  onSignedIn(listener: (userId: string) => Promise<void>): void
  /** Marks a browser on which this user has signed in. */
  knownToken(userId: string): string
}

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

export function createAuth(deps: AuthDeps): Auth {
  const { storage, passwords, secret, previousSecret, limits, passkeys, seal, now = Date.now } = deps
  const tokens = createSessionTokens(secret, previousSecret)
  const sessions = createSessions({ storage, tokens, needsFactor: deps.needsFactor, now })
  const secondStep = createSecondStep({ storage, limits, passkeys, seal, now })
  const listeners: ((userId: string) => Promise<void>)[] = []

  async function start(user: UserRecord, requester: Requester): Promise<SignedInUser | null> {
    const signedIn = await sessions.start(user, requester)
    if (signedIn !== null) for (const listener of listeners) await listener(user._id)
    return signedIn
  }

  return {
    sessions,

    async createFirstAdmin(userName, password, file) {
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

    async signIn({ userName, password, requester, known, browser, onUser }) {
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

    async signInWithFactor({ known, requester, ...input }) {
      const isKnown = (userId: string) => tokens.knownUserId(known) === userId
      const user = await secondStep.answer({ ...input, address: requester.address, isKnown })
      const signedIn = await start(user, requester)
      if (signedIn === null) throw wrongPassword()
      return signedIn
    },

    async signInWithPasskey({ known, requester, ...input }) {
      const isKnown = (userId: string) => tokens.knownUserId(known) === userId
      const user = await passkeys.answer({ ...input, address: requester.address, isKnown })
      const signedIn = await start(user, requester)
      if (signedIn === null) throw wrongPassword()
      return signedIn
    },

    askForPasskey: passkeys.ask,

    passkeyOptions: secondStep.passkeyOptions,

    start,

    onSignedIn(listener) {
      listeners.push(listener)
    },

    knownToken: tokens.knownToken,
  }
}

function wrongPassword(): AppError {
  return new AppError('unauthorized', 'Wrong username or password.')
}
