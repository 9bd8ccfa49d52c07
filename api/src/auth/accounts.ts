import type { AuditAction } from '@proctorpass/shared/audit'
import { USER_NAME_FIELD } from '@proctorpass/shared/fields/team'
import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import { auditEntry } from '../audit/entry.ts'
import { generatePassword, type Passwords } from '../credentials/passwords.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { Storage } from '../storage/model/storage.ts'
import { hasFactor, NO_FACTORS, nameKey, type UserRecord } from '../storage/model/users.ts'
import { outlineOf } from './look-alikes.ts'

interface AccountsDeps {
  storage: Storage
  passwords: Passwords
}

/** The operator's use cases for `npm run admin`. Each throws an Error whose message can be shown. */
export function createAccounts({ storage, passwords }: AccountsDeps) {
  async function find(userName: string): Promise<UserRecord> {
    const user = await storage.users.findByName(userName)
    if (user === null) throw new Error(`There is no user ${JSON.stringify(userName)}.`)
    return user
  }

  const entryOf = (action: AuditAction, { _id, userName }: UserRecord) =>
    auditEntry(null, action, { target: _id, details: { name: userName } })

  return {
    /** Creates an admin with a generated password, which is not stored. */
    async create(userName: string): Promise<{ userId: string; password: string }> {
      const name = USER_NAME_FIELD.clean(userName)
      const problem = USER_NAME_FIELD.problem(name)
      if (problem !== null) throw new Error(`This username can't be used: ${problem}.`)
      const others = (await storage.users.list()).filter((user) => nameKey(user.userName) !== nameKey(name))
      const similar = others.find((user) => outlineOf(user.userName) === outlineOf(name))
      if (similar !== undefined) {
        throw new Error(`This username looks like that of ${JSON.stringify(similar.userName)}.`)
      }
      const password = generatePassword()
      const passwordHash = await passwords.hash(password)
      const created = { userName: name, passwordHash, roles: [ADMIN_ROLE], createdAt: Date.now() }
      const entry = auditEntry(null, 'admin.created', { details: { name } })
      const user = await withEntry(entry, () => storage.users.create(created))
      if (user === null) throw new Error(`There is already a user ${JSON.stringify(name)}.`)
      return { userId: user._id, password }
    },

    /** Sets a generated password, removes second factors, enables a disabled admin, and ends all sessions. */
    async reset(userName: string): Promise<{ userId: string; password: string; hadFactor: boolean }> {
      const user = await find(userName)
      const userId = user._id
      const password = generatePassword()
      const passwordHash = await passwords.hash(password)
      const hadFactor = hasFactor(user)
      const factors = { ...NO_FACTORS, version: user.factors.version + 1 }
      const ended = await withEntry(entryOf('admin.reset', user), () =>
        storage.users.changeCredentials(userId, { passwordHash, disabled: false, factors }),
      )
      if (ended === null) throw new Error(`${JSON.stringify(userName)} changed in the meantime. Try again.`)
      return { userId, password, hadFactor }
    },

    /** Blocks sign-in until a reset, and ends all sessions. */
    async disable(userName: string): Promise<{ userId: string }> {
      const user = await find(userName)
      const userId = user._id
      await withEntry(entryOf('admin.disabled', user), () =>
        storage.users.changeCredentials(userId, { disabled: true }),
      )
      return { userId }
    },
  }
}

export type Accounts = ReturnType<typeof createAccounts>
