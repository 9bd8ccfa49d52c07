import type { DatabaseSync } from 'node:sqlite'
import type { DocumentRepository } from '../documents.ts'
import type { WriteQueue } from './write-queue.ts'

export function openDocuments(db: DatabaseSync, queue: WriteQueue): DocumentRepository {
  const sql = {
    read: db.prepare('SELECT version, value FROM documents WHERE name = ?'),
    create: db.prepare(
      'INSERT INTO documents (name, version, value) VALUES (?, 1, ?) ON CONFLICT DO NOTHING',
    ),
    update: db.prepare(
      'UPDATE documents SET value = ?, version = version + 1 WHERE name = ? AND version = ?',
    ),
  }
  return {
    async read<T>(name: string) {
      const row = sql.read.get(name) as { version: number; value: string } | undefined
      return row === undefined ? null : { version: row.version, value: JSON.parse(row.value) as T }
    },
    write: (name, value, version) =>
      queue.write(() => {
        const json = JSON.stringify(value)
        const { changes } = version === 0 ? sql.create.run(name, json) : sql.update.run(json, name, version)
        return changes === 1
      }),
  }
}
