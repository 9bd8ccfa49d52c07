import type { DatabaseSync } from 'node:sqlite'
import type { Where } from '../model/plain-table.ts'
import { isActiveAdmin, USERS, type UserRepository, type UserRow } from '../model/users.ts'
import { columnsOf, plainRow } from './columns.ts'
import { ifFound, type WriteQueue } from './write-queue.ts'

/** Opens the writes to users that depend on other rows. Each is one transaction. */
export function openAccounts(db: DatabaseSync, queue: WriteQueue) {
  const columns = Object.keys(USERS.fields)
  const sql = {
    insertFirst: db.prepare(
      `INSERT INTO users (${columns.join(', ')}) SELECT ${columns.map((column) => `:${column}`).join(', ')}
       WHERE NOT EXISTS (SELECT 1 FROM users)`,
    ),
    list: db.prepare('SELECT * FROM users'),
    disable: db.prepare(
      `UPDATE users SET disabled = 1, credentialVersion = credentialVersion + 1, keptSessionId = NULL WHERE _id = ?`,
    ),
    endSessions: db.prepare('DELETE FROM sessions WHERE userId = ? AND _id IS NOT ? RETURNING _id'),
  }

  const insertFirst = (user: UserRow) =>
    queue.write(() => (sql.insertFirst.run(columnsOf(user)).changes === 1 ? user : null), ifFound)

  const disable: UserRepository['disable'] = (id) =>
    queue.write(
      () => {
        const all = sql.list.all().map((row) => plainRow(USERS, row))
        if (!all.some((user) => user._id === id)) return { outcome: 'missing' }
        if (!all.some((user) => user._id !== id && isActiveAdmin(user))) return { outcome: 'last' }
        sql.disable.run(id)
        const ended = sql.endSessions.all(id, null) as { _id: string }[]
        return { outcome: 'disabled', ended: ended.map(({ _id }) => _id) }
      },
      ({ outcome }) => outcome === 'disabled',
    )

  /**
   * Removes the sessions that a user's change ends, in the transaction of that change. A change without `keptSessionId`
   * leaves the credentials alone and ends no session.
   */
  const endSessions = ({ _id }: Where<UserRow>, { keptSessionId }: Partial<UserRow>) => {
    if (keptSessionId !== undefined) sql.endSessions.all(_id as string, keptSessionId)
  }

  return { insertFirst, disable: () => disable, endSessions }
}
