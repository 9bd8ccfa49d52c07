import type { DatabaseSync } from 'node:sqlite'
import { nameKey, newId } from '../ids.ts'
import type { NewUser, SessionRecord, SessionRepository, UserRecord, UserRepository } from '../storage.ts'
import type { WriteQueue } from './write-queue.ts'

interface UserRow extends Omit<UserRecord, 'roles' | 'disabled'> {
  nameKey: string
  roles: string
  disabled: number
}

export function openUsers(db: DatabaseSync, queue: WriteQueue): UserRepository {
  const sql = {
    byName: db.prepare('SELECT * FROM users WHERE nameKey = ?'),
    byId: db.prepare('SELECT * FROM users WHERE _id = ?'),
    any: db.prepare('SELECT 1 FROM users LIMIT 1'),
    insert: db.prepare(
      `INSERT INTO users (_id, userName, nameKey, passwordHash, roles, createdAt)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (nameKey) DO NOTHING`,
    ),
    setPasswordHash: db.prepare('UPDATE users SET passwordHash = ? WHERE _id = ?'),
    setDisabled: db.prepare('UPDATE users SET disabled = ? WHERE _id = ?'),
  }

  function create(user: NewUser): UserRecord | null {
    const record = { _id: newId(user.createdAt), ...user, disabled: false }
    const { changes } = sql.insert.run(
      record._id,
      user.userName,
      nameKey(user.userName),
      user.passwordHash,
      JSON.stringify(user.roles),
      user.createdAt,
    )
    return changes === 0 ? null : record
  }

  return {
    findByName: async (userName) => toUser(sql.byName.get(nameKey(userName))),
    findById: async (id) => toUser(sql.byId.get(id)),
    createFirst: (user) => queue.write(() => (sql.any.get() === undefined ? create(user) : null)),
    create: (user) => queue.write(() => create(user)),
    setPasswordHash: (id, passwordHash) =>
      queue.write(() => {
        sql.setPasswordHash.run(passwordHash, id)
      }),
    setDisabled: (id, disabled) =>
      queue.write(() => {
        sql.setDisabled.run(Number(disabled), id)
      }),
  }
}

function toUser(found: unknown): UserRecord | null {
  if (found === undefined) return null
  const { _id, userName, passwordHash, roles, createdAt, disabled } = found as UserRow
  return {
    _id,
    userName,
    passwordHash,
    roles: JSON.parse(roles) as string[],
    createdAt,
    disabled: disabled === 1,
  }
}

export function openSessions(db: DatabaseSync, queue: WriteQueue): SessionRepository {
  const sql = {
    insert: db.prepare(
      `INSERT INTO sessions (_id, userId, currentHash, previousHash, createdAt, expiresAt)
       VALUES (?, ?, ?, ?, ?, ?)`,
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
    endAllOf: db.prepare('DELETE FROM sessions WHERE userId = ? AND _id <> ? RETURNING _id'),
    sweep: db.prepare('DELETE FROM sessions WHERE expiresAt <= ?'),
  }
  return {
    create: (session) =>
      queue.write(() => {
        const { _id, userId, currentHash, previousHash, createdAt, expiresAt } = session
        sql.insert.run(_id, userId, currentHash, previousHash, createdAt, expiresAt)
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
    endAllOf: (userId, exceptId = '') =>
      queue.write(() => (sql.endAllOf.all(userId, exceptId) as { _id: string }[]).map((row) => row._id)),
    sweep: (now) =>
      queue.write(() => {
        sql.sweep.run(now)
      }),
  }
}
