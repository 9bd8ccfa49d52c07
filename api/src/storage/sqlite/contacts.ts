import type { DatabaseSync } from 'node:sqlite'
import { newId } from '../ids.ts'
import type { ContactRecord } from '../records.ts'
import type { ContactRepository } from '../storage.ts'
import { newestFirst } from './newest-first.ts'
import type { WriteQueue } from './write-queue.ts'

export function openContacts(db: DatabaseSync, queue: WriteQueue): ContactRepository {
  const list = newestFirst<ContactRecord>(db, 'contacts', ['_id', 'email', 'title', 'message', 'createdAt'])
  const byId = db.prepare('SELECT _id, email, title, message, createdAt FROM contacts WHERE _id = ?')
  const insert = db.prepare(
    'INSERT INTO contacts (_id, email, title, createdAt, message) VALUES (?, ?, ?, ?, ?)',
  )
  return {
    list: async (page) => list(page),
    findById: async (id) => (byId.get(id) as ContactRecord | undefined) ?? null,
    create: ({ email, title, message, createdAt }) =>
      queue.write(() => {
        const _id = newId(createdAt)
        insert.run(_id, email, title, createdAt, message)
        return { _id, email, title, message, createdAt }
      }),
  }
}
