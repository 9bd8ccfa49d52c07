import type { DatabaseSync } from 'node:sqlite'
import { isActiveAdmin } from '../active-admin.ts'
import { nameKey, newId } from '../ids.ts'
import {
  type CredentialChange,
  NEW_USER,
  type NewUser,
  type SessionRecord,
  type UserRecord,
} from '../records.ts'
import type { SessionRepository, UserRepository } from '../storage.ts'
import type { WriteQueue } from './write-queue.ts'

interface UserRow extends Omit<UserRecord, 'roles' | 'disabled' | 'onDuty'> {
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
         (_id, userName, nameKey, passwordHash, roles, createdAt, displayName, inviteHash, inviteExpiresAt)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (nameKey) DO NOTHING`,
    ),
    replacePasswordHash: db.prepare('UPDATE users SET passwordHash = ? WHERE _id = ? AND passwordHash = ?'),
    changeCredentials: db.prepare(
      `UPDATE users SET passwordHash = coalesce(:passwordHash, passwordHash), disabled = coalesce(:disabled, disabled),
         credentialVersion = credentialVersion + 1, keptSessionId = :keepSessionId,
         inviteHash = iif(:passwordHash IS NULL, coalesce(:inviteHash, inviteHash), NULL),
         inviteExpiresAt = iif(:passwordHash IS NULL, coalesce(:inviteExpiresAt, inviteExpiresAt), NULL)
       WHERE _id = :id AND credentialVersion = coalesce(:ifVersion, credentialVersion)`,
    ),
    byInvite: db.prepare('SELECT * FROM users WHERE inviteHash = ?'),
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
    disable: (id) =>
      queue.write(() => {
        if (sql.byId.get(id) === undefined) return { outcome: 'missing' }
        if (!all().some((other) => other._id !== id && isActiveAdmin(other))) return { outcome: 'last' }
        return { outcome: 'disabled', ended: changeCredentials(id, { disabled: true }) ?? [] }
      }),
    findByInvite: async (inviteHash) => toUser(sql.byInvite.get(inviteHash)),
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
  const { nameKey: _, roles, disabled, onDuty, ...user } = found as UserRow
  return { ...user, roles: JSON.parse(roles) as string[], disabled: disabled === 1, onDuty: onDuty === 1 }
}

export function openSessions(db: DatabaseSync, queue: WriteQueue): SessionRepository {
  const sql = {
    insert: db.prepare(
      `INSERT INTO sessions (_id, userId, currentHash, previousHash, createdAt, expiresAt, credentialVersion)
       VALUES (:_id, :userId, :currentHash, :previousHash, :createdAt, :expiresAt, :credentialVersion)`,
    ),
    find: db.prepare('SELECT * FROM sessions WHERE _id = ? AND expiresAt > ?'),
    listOf: db.prepare(
      'SELECT * FROM sessions WHERE userId = ? AND expiresAt > ? ORDER BY createdAt DESC, _id DESC LIMIT 100',
    ),
    rotate: db.prepare(
      `UPDATE sessions SET currentHash = ?, previousHash = ?, expiresAt = ?
       WHERE _id = ? AND currentHash = ?`,
    ),
    end: db.prepare('DELETE FROM sessions WHERE _id = ?'),
    sweep: db.prepare('DELETE FROM sessions WHERE expiresAt <= ?'),
  }
  return {
    create: (session) =>
      queue.write(() => {
        sql.insert.run({ ...session })
      }),
    async find(id, now) {
      const row = sql.find.get(id, now)
      return row === undefined ? null : ({ ...row } as unknown as SessionRecord)
    },
    listOf: async (userId, now) =>
      sql.listOf.all(userId, now).map((row) => ({ ...row }) as unknown as SessionRecord),
    rotate: (id, fromHash, toHash, expiresAt) =>
      queue.write(() => sql.rotate.run(toHash, fromHash, expiresAt, id, fromHash).changes === 1),
    end: (id) =>
      queue.write(() => {
        sql.end.run(id)
      }),
    sweep: (now) =>
      queue.write(() => {
        sql.sweep.run(now)
      }),
  }
}
