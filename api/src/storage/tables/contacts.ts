import { CONTACT_MESSAGE_MAX, CONTACT_TITLE_MAX, EMAIL_MAX } from '@proctorpass/shared/limits'
import type { ContactRecord } from '../port/records.ts'
import type { ContactRepository } from '../port/storage.ts'
import { newId } from '../rules/ids.ts'
import { Id, Time, TimeOrNull, text } from './bounds.ts'
import { type PlainTable, pageOf, type Rows } from './plain-table.ts'

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const

export const CONTACTS: PlainTable<ContactRecord> = {
  name: 'contacts',
  key: '_id',
  fields: {
    _id: Id,
    email: text(EMAIL_MAX),
    title: text(CONTACT_TITLE_MAX),
    message: text(CONTACT_MESSAGE_MAX),
    createdAt: Time,
    doneAt: TimeOrNull,
  },
  missing: { doneAt: null },
  indexes: { newest: { by: NEWEST_FIRST } },
}

export function openContacts(contacts: Rows<ContactRecord>): ContactRepository {
  return {
    list: (page) => pageOf(contacts, {}, NEWEST_FIRST, page),
    findById: (_id) => contacts.find({ _id }),
    async create({ _id, email, title, message, createdAt }) {
      const contact = { _id: _id ?? newId(createdAt), email, title, message, createdAt, doneAt: null }
      await contacts.insert(contact)
      return contact
    },
    setDone: (_id, doneAt) => contacts.change({ _id }, { doneAt }),
    remove: async (_id) => (await contacts.remove({ _id })) === 1,
  }
}
