import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import type { Team } from '@proctorpass/shared/schemas/team'
import type { Storage } from '../storage/storage.ts'
import type { AdminCaller } from './caller.ts'
import type { Sessions } from './sessions.ts'

/** The use cases of the team: all admins. */
export interface TeamUseCases {
  list(admin: AdminCaller): Promise<Team>
}

export function createTeam({ storage, sessions }: { storage: Storage; sessions: Sessions }): TeamUseCases {
  return {
    async list({ userId }) {
      const users = (await storage.users.list()).filter(({ roles }) => roles.includes(ADMIN_ROLE))
      const admins = users.map(async (user) => ({
        userId: user._id,
        userName: user.userName,
        displayName: user.displayName,
        online: await sessions.usedOfLate(user._id),
        onDuty: user.onDuty,
        disabled: user.disabled,
        invited: user.inviteHash !== null,
        you: user._id === userId,
      }))
      return { admins: await Promise.all(admins) }
    },
  }
}
