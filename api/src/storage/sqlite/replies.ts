import type { DatabaseSync } from 'node:sqlite'
import { newId } from '../ids.ts'
import type { ReplyRecord, ReplyRepository } from '../replies.ts'
import type { WriteQueue } from './write-queue.ts'

const COLUMNS = '_id, shortcut, text, version'

export function openReplies(db: DatabaseSync, queue: WriteQueue): ReplyRepository {
  const sql = {
    list: db.prepare(`SELECT ${COLUMNS} FROM replies ORDER BY shortcut`),
    count: db.prepare('SELECT count(*) AS count FROM replies'),
    isTaken: db.prepare('SELECT 1 FROM replies WHERE shortcut = ?'),
    insert: db.prepare('INSERT INTO replies (_id, shortcut, text) VALUES (?, ?, ?)'),
    versionOf: db.prepare('SELECT version FROM replies WHERE _id = ?'),
    // IGNORE: nothing is changed when another reply has the shortcut.
    update: db.prepare(
      `UPDATE OR IGNORE replies SET shortcut = coalesce(:shortcut, shortcut), text = coalesce(:text, text),
         version = version + 1
       WHERE _id = :id AND version = :version RETURNING ${COLUMNS}`,
    ),
    remove: db.prepare('DELETE FROM replies WHERE _id = ?'),
  }
  return {
    list: async () => sql.list.all().map((row) => ({ ...(row as unknown as ReplyRecord) })),
    create: ({ shortcut, text, createdAt }, max) =>
      queue.write(() => {
        if (sql.isTaken.get(shortcut) !== undefined) return { outcome: 'shortcut-taken' }
        if ((sql.count.get() as { count: number }).count >= max) return { outcome: 'full' }
        const reply = { _id: newId(createdAt), shortcut, text, version: 1 }
        sql.insert.run(reply._id, shortcut, text)
        return { outcome: 'stored', reply }
      }),
    update: (id, { shortcut, text }, version) =>
      queue.write(() => {
        const row = sql.update.get({ shortcut: shortcut ?? null, text: text ?? null, id, version })
        if (row !== undefined) return { outcome: 'stored', reply: { ...(row as unknown as ReplyRecord) } }
        const found = sql.versionOf.get(id) as { version: number } | undefined
        if (found === undefined) return { outcome: 'missing' }
        return { outcome: found.version === version ? 'shortcut-taken' : 'stale' }
      }),
    remove: (id) => queue.write(() => sql.remove.run(id).changes === 1),
  }
}
