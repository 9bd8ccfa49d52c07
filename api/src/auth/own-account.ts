import { AppError, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { unusablePassword } from '@proctorpass/shared/fields/password'
import { PROFILE_FIELDS } from '@proctorpass/shared/fields/team'
import { isTimeZone } from '@proctorpass/shared/hours'
import type { Account, AccountChange, PasswordChange, SessionList } from '@proctorpass/shared/schemas/account'
import { auditEntry } from '../audit/entry.ts'
import { noteRefusal } from '../audit/refused-sign-ins.ts'
import { passwordProblem } from '../credentials/password-rules.ts'
import type { Passwords } from '../credentials/passwords.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { ProfileChange, UserRecord } from '../storage/model/users.ts'
import { type AdminCaller, confirmRequired } from './caller.ts'
import { lastUseOf, type Sessions } from './sessions.ts'
import type { SignInLimits } from './sign-in-limits.ts'

interface OwnAccountDeps {
  storage: Storage
  sessions: Sessions
  passwords: Passwords
  limits: SignInLimits
  /** See `createWeeklyMails`. */
  weekly: WeeklyMailing
}

export interface WeeklyMailing {
  /** Returns the Monday of the first mail to an admin who turns the mails on now. */
  firstMonday(timeZone: string | null): Promise<string>
  /** Schedules an admin's next mail after a change of its Monday or its time zone. */
  changed(user: UserRecord): void
}

/** An admin's use cases for their own account. */
export function createOwnAccount({ storage, sessions, passwords, limits, weekly }: OwnAccountDeps) {
  /** Returns the fields of the weekly mail. Throws an AppError `invalid-input`. */
  async function weeklyChange(
    before: UserRecord,
    email: string | null,
    { weeklyMail, timeZone }: AccountChange,
  ): Promise<ProfileChange> {
    if (typeof timeZone === 'string' && !isTimeZone(timeZone)) {
      throw fieldError('timeZone', 'Choose a time zone, such as Europe/Zurich')
    }
    if (weeklyMail === true && email === null) {
      throw fieldError('weeklyMail', 'Add your email to your profile first')
    }
    if (weeklyMail === false || email === null) return { timeZone, weeklyFrom: null }
    if (weeklyMail !== true || before.weeklyFrom !== null) return { timeZone }
    const zone = timeZone === undefined ? before.timeZone : timeZone
    return { timeZone, weeklyFrom: await weekly.firstMonday(zone) }
  }

  return {
    async read({ userId }: AdminCaller): Promise<Account> {
      return accountOf(await storage.users.findById(userId))
    },

    /**
     * Throws an AppError `invalid-input` with a detail for a wrong field, and `confirm-required` for another email
     * address.
     */
    async change(admin: AdminCaller, change: AccountChange): Promise<Account> {
      const { userId } = admin
      const { displayName, email } = change
      const cleaned = checkFields(PROFILE_FIELDS, { displayName, email } as ProfileTexts)
      const before = found(await storage.users.findById(userId))
      const newEmail = email === null ? null : cleaned.email
      const profile = {
        displayName: displayName === null ? null : cleaned.displayName,
        email: newEmail,
        onDuty: change.onDuty,
        ...(await weeklyChange(before, newEmail === undefined ? before.email : newEmail, change)),
      }
      async function store(): Promise<UserRecord | null> {
        const after = await storage.users.changeProfile(userId, profile)
        const isMoved = before.weeklyFrom !== after?.weeklyFrom || before.timeZone !== after.timeZone
        if (after !== null && isMoved) weekly.changed(after)
        return after
      }
      if (profile.email === undefined || profile.email === before.email) return accountOf(await store())
      // Mails about messages and second factors go to this address.
      if (!admin.isConfirmed) throw confirmRequired()
      return accountOf(await withEntry(auditEntry(admin, 'email.changed'), store))
    },

    /**
     * Changes the password and ends all other sessions. Throws an AppError `invalid-input` with a detail for the old or
     * the new password. A wrong old password counts as a failed sign-in.
     */
    async changePassword(admin: AdminCaller, { oldPassword, newPassword }: PasswordChange): Promise<void> {
      const { userId, userName, sid, address } = admin
      const problem = passwordProblem(newPassword, userName)
      if (problem !== null) throw fieldError('newPassword', unusablePassword(problem))
      // The attempt does not count as one from a known browser, because the thief of a session must not guess faster
      // than others.
      const attempt = await limits.begin({ userName, address, knownUserId: null })
      const user = await storage.users.findById(userId)
      if (user === null || !(await passwords.verify(user.passwordHash, oldPassword))) {
        await noteRefusal(storage.audit, admin, 'password.refused')
        throw fieldError('oldPassword', "That's not your current password.")
      }
      await attempt.succeeded()
      const passwordHash = await passwords.hash(newPassword)
      const changed = await withEntry(auditEntry(admin, 'password.changed'), () =>
        sessions.changeCredentials(userId, {
          passwordHash,
          // This fails if the password changed since it was verified.
          ifVersion: user.credentialVersion,
          keepSessionId: sid,
        }),
      )
      if (!changed) throw fieldError('oldPassword', "That's not your current password.")
    },

    async sessions({ userId, sid }: AdminCaller): Promise<SessionList> {
      const list = await sessions.listOf(userId)
      return {
        sessions: list.map((session) => ({
          id: session._id,
          device: session.device,
          network: session.network,
          since: new Date(session.createdAt).toISOString(),
          lastUsedAt: new Date(lastUseOf(session)).toISOString(),
          expiresAt: new Date(session.expiresAt).toISOString(),
          current: session._id === sid,
        })),
      }
    },

    /** Throws an AppError `not-found` for a session that is not this admin's. */
    async endSession(admin: AdminCaller, id: string): Promise<void> {
      if (!(await sessions.end(admin, id))) throw new AppError('not-found', 'Session not found.')
    },
  }
}

export type OwnAccount = ReturnType<typeof createOwnAccount>

interface ProfileTexts {
  displayName?: string
  email?: string
}

function found(user: UserRecord | null): UserRecord {
  if (user === null) throw new AppError('not-found', 'Account not found.')
  return user
}

function accountOf(user: UserRecord | null): Account {
  const { _id: userId, userName, displayName, onDuty, email, weeklyFrom, timeZone, face } = found(user)
  return { userId, userName, displayName, onDuty, email, weeklyMail: weeklyFrom !== null, timeZone, face }
}
