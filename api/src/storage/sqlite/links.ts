import type { DatabaseSync } from 'node:sqlite'
import type { LinkRecord, LinkRepository } from '../links.ts'
import type { WriteQueue } from './write-queue.ts'

export function openLinks(db: DatabaseSync, queue: WriteQueue): LinkRepository {
  const sql = {
    sweep: db.prepare('DELETE FROM links WHERE expiresAt <= ?'),
    create: db.prepare(
      'INSERT INTO links (hash, kind, clientId, epoch, expiresAt) VALUES (:hash, :kind, :clientId, :epoch, :expiresAt)',
    ),
    find: db.prepare('SELECT * FROM links WHERE hash = ? AND kind = ? AND expiresAt > ?'),
  }
  return {
    create: (links, now) =>
      queue.write(() => {
        sql.sweep.run(now)
        for (const link of links) sql.create.run({ ...link })
      }),

    async find(hash, kind, now) {
      const row = sql.find.get(hash, kind, now) as LinkRecord | undefined
      return row === undefined ? null : { ...row }
    },
  }
}
