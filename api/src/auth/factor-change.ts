import { AppError } from '@proctorpass/shared/errors'
import { auditEntry } from '../audit/entry.ts'
import { withEntry } from '../storage/model/audit.ts'
import { type Factors, hasFactor, type UserRecord } from '../storage/model/users.ts'
import type { AdminCaller } from './caller.ts'
import type { Sessions } from './sessions.ts'

/** The change as the audit log names it. */
export type FactorChange =
  | {
      action: 'factor.added' | 'factor.removed'
      details: { kind: 'totp' } | { kind: 'passkey'; name: string }
    }
  | { action: 'recovery.renewed' }

interface FactorChangesDeps {
  sessions: Pick<Sessions, 'living' | 'changeCredentials'>
  /** Whether every admin needs a second factor. */
  needsFactor: () => Promise<boolean>
  /** Called after a change, to tell its owner. */
  changed: (userId: string, what: FactorChange) => void
}

/** Changes admins' factors. */
export function createFactorChanges({ sessions, needsFactor, changed }: FactorChangesDeps) {
  return {
    /** Returns the session's user. Throws an AppError `forbidden` if the session has ended. */
    async userOf({ sid, userId }: AdminCaller): Promise<UserRecord> {
      const living = await sessions.living(sid, userId)
      if (living === null) throw new AppError('forbidden', 'Your session has expired. Sign in again.')
      return living.user
    },

    /**
     * Stores the changed fields and ends the other sessions. Throws an AppError `conflict` if `user` is not current, or
     * if no factor would be left while every admin needs one.
     */
    async change(
      admin: AdminCaller,
      user: UserRecord,
      what: FactorChange,
      set: Partial<Omit<Factors, 'version'>>,
    ): Promise<void> {
      const factors = { ...user.factors, ...set, version: user.factors.version + 1 }
      if (hasFactor(user) && !hasFactor({ factors }) && (await needsFactor())) {
        const message = 'Every admin needs a second factor. Add another one before you remove this one.'
        throw new AppError('conflict', message)
      }
      const isChanged = await withEntry(
        auditEntry(admin, what.action, { details: 'details' in what ? what.details : {} }),
        () =>
          sessions.changeCredentials(user._id, {
            factors,
            ifVersion: user.credentialVersion,
            keepSessionId: admin.sid,
          }),
      )
      if (!isChanged) throw accountChanged()
      changed(user._id, what)
    },
  }
}

export type FactorChanges = ReturnType<typeof createFactorChanges>

export function accountChanged(): AppError {
  return new AppError('conflict', 'Your account changed in the meantime. Reload the page.')
}
