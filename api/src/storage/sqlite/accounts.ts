import type { DatabaseSync } from 'node:sqlite'
import {
  type CredentialChange,
  type Factors,
  NEW_USER,
  type NewUser,
  type UserRecord,
} from '../port/records.ts'
import type { UserRepository } from '../port/storage.ts'
import { isActiveAdmin } from '../rules/active-admin.ts'
import { nameKey, newId } from '../rules/ids.ts'
import type { WriteQueue } from './write-queue.ts'

interface UserRow extends Omit<UserRecord, 'roles' | 'factors' | 'disabled' | 'onDuty'> {
  factors: string
  nameKey: string
  roles: string
  disabled: number
  onDuty: number
}

export function openUsers(db: DatabaseSync, queue: WriteQueue): UserRepository {
  const sql = {
    byName: db.prepare('SELECT * FROM users WHERE nameKey = ?'),
    byId: db.prepare('SELECT * FROM users WHERE _id = ?'),
    list: db.prepare('SELECT * FROM users ORDER BY _id'),
    any: db.prepare('SELECT 1 FROM users LIMIT 1'),
    insert: db.prepare(
      `INSERT INTO users
         (_id, userName, nameKey, passwordHash, roles, createdAt, displayName, inviteHash, inviteExpiresAt, factors)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (nameKey) DO NOTHING`,
    ),
    replacePasswordHash: db.prepare('UPDATE users SET passwordHash = ? WHERE _id = ? AND passwordHash = ?'),
    changeCredentials: db.prepare(
      `UPDATE users SET passwordHash = coalesce(:passwordHash, passwordHash), disabled = coalesce(:disabled, disabled),
         credentialVersion = credentialVersion + 1, keptSessionId = :keepSessionId,
         inviteHash = iif(:passwordHash IS NULL, coalesce(:inviteHash, inviteHash), NULL),
         inviteExpiresAt = iif(:passwordHash IS NULL, coalesce(:inviteExpiresAt, inviteExpiresAt), NULL),
         factors = coalesce(:factors, factors)
       WHERE _id = :id AND credentialVersion = coalesce(:ifVersion, credentialVersion)
         AND (:factors IS NULL OR factors ->> 'version' = :factors ->> 'version' - 1)`,
    ),
    useFactor: db.prepare(
      `UPDATE users SET factors = :factors
       WHERE _id = :id AND credentialVersion = :ifVersion AND factors ->> 'version' = :factors ->> 'version' - 1`,
    ),
    byInvite: db.prepare('SELECT * FROM users WHERE inviteHash = ?'),
    removeInvited: db.prepare('DELETE FROM users WHERE _id = ? AND inviteHash IS NOT NULL'),
    changeProfile: db.prepare(
      `UPDATE users SET displayName = iif(:setsName, :displayName, displayName), onDuty = coalesce(:onDuty, onDuty),
         email = iif(:setsEmail, :email, email)
       WHERE _id = :id RETURNING *`,
    ),
    endSessions: db.prepare('DELETE FROM sessions WHERE userId = ? AND _id IS NOT ? RETURNING _id'),
  }

  function create(user: NewUser): UserRecord | null {
    const record: UserRecord = { _id: newId(user.createdAt), ...NEW_USER, ...user }
    const { changes } = sql.insert.run(
      record._id,
      user.userName,
      nameKey(user.userName),
      user.passwordHash,
      JSON.stringify(user.roles),
      user.createdAt,
      record.displayName,
      record.inviteHash,
      record.inviteExpiresAt,
      JSON.stringify(record.factors),
    )
    return changes === 0 ? null : record
  }

  const all = () => sql.list.all().map((row) => toUser(row) as UserRecord)

  function changeCredentials(id: string, change: CredentialChange): string[] | null {
    const { passwordHash = null, disabled, invite, ifVersion = null, keepSessionId = null } = change
    const { changes } = sql.changeCredentials.run({
      ...{ id, passwordHash, ifVersion, keepSessionId },
      disabled: disabled === undefined ? null : Number(disabled),
      inviteHash: invite?.inviteHash ?? null,
      inviteExpiresAt: invite?.inviteExpiresAt ?? null,
      factors: change.factors === undefined ? null : JSON.stringify(change.factors),
    })
    if (changes === 0) return null
    return (sql.endSessions.all(id, keepSessionId) as { _id: string }[]).map(({ _id }) => _id)
  }

  return {
    findByName: async (userName) => toUser(sql.byName.get(nameKey(userName))),
    findById: async (id) => toUser(sql.byId.get(id)),
    list: async () => all(),
    any: async () => sql.any.get() !== undefined,
    createFirst: (user) => queue.write(() => (sql.any.get() === undefined ? create(user) : null)),
    create: (user) => queue.write(() => create(user)),
    replacePasswordHash: (id, from, to) =>
      queue.write(() => sql.replacePasswordHash.run(to, id, from).changes === 1),
    changeCredentials: (id, change) => queue.write(() => changeCredentials(id, change)),
    useFactor: (id, factors, ifVersion) =>
      queue.write(() => {
        const { changes } = sql.useFactor.run({ id, factors: JSON.stringify(factors), ifVersion })
        return changes === 1
      }),
    disable: (id) =>
      queue.write(() => {
        if (sql.byId.get(id) === undefined) return { outcome: 'missing' }
        if (!all().some((other) => other._id !== id && isActiveAdmin(other))) return { outcome: 'last' }
        return { outcome: 'disabled', ended: changeCredentials(id, { disabled: true }) ?? [] }
      }),
    findByInvite: async (inviteHash) => toUser(sql.byInvite.get(inviteHash)),
    removeInvited: (id) => queue.write(() => sql.removeInvited.run(id).changes === 1),
    changeProfile: (id, { displayName, onDuty, email }) =>
      queue.write(() =>
        toUser(
          sql.changeProfile.get({
            id,
            setsName: Number(displayName !== undefined),
            displayName: displayName ?? null,
            onDuty: onDuty === undefined ? null : Number(onDuty),
            setsEmail: Number(email !== undefined),
            email: email ?? null,
          }),
        ),
      ),
  }
}

function toUser(found: unknown): UserRecord | null {
  if (found === undefined) return null
  const { nameKey: _, roles, factors, disabled, onDuty, ...user } = found as UserRow
  return {
    ...user,
    roles: JSON.parse(roles) as string[],
    factors: JSON.parse(factors) as Factors,
    disabled: disabled === 1,
    onDuty: onDuty === 1,
  }
}
