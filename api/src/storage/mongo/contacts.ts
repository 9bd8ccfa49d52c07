import { newId } from '../ids.ts'
import type { ContactRecord } from '../records.ts'
import type { ContactRepository } from '../storage.ts'
import type { MongoConnection } from './connection.ts'
import { type Collections, type ContactDoc, contactDoc } from './documents.ts'
import { newestFirst } from './newest-first.ts'

export function openContacts(
  { contacts }: Collections,
  settled: MongoConnection['settled'],
): ContactRepository {
  return {
    list: newestFirst<ContactRecord, ContactDoc>(contacts, settled, { equal: {}, hidden: [] }),
    async findById(_id) {
      const found = await contacts.findOne({ _id }, settled)
      if (found === null) return null
      const { id: _, ...record } = found
      return record
    },
    async create({ email, title, message, createdAt }) {
      const record = { _id: newId(createdAt), email, title, message, createdAt }
      await contacts.insertOne(contactDoc(record))
      return record
    },
  }
}
