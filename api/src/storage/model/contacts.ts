import { CONTACT_MESSAGE_MAX, CONTACT_TITLE_MAX, EMAIL_MAX } from '@proctorpass/shared/limits'
import { Id, Time, TimeOrNull, text } from './bounds.ts'
import { newId } from './ids.ts'
import { type PageOfList, type PlainTable, pageOf, type Rows } from './plain-table.ts'

export interface ContactRecord {
  _id: string
  email: string
  title: string
  message: string
  createdAt: number
  /** The time when an admin marked the message as done. Null until then. */
  doneAt: number | null
}

/** A message that came by mail brings its `_id`, so that it is stored once. Other messages get a new one. */
export type NewContact = Omit<ContactRecord, '_id' | 'doneAt'> & Partial<Pick<ContactRecord, '_id'>>

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

export function openContacts(contacts: Rows<ContactRecord>) {
  return {
    /** Lists the newest messages first, by createdAt and then by _id. */
    list: (page: PageOfList) => pageOf(contacts, {}, NEWEST_FIRST, page),
    findById: (_id: string) => contacts.find({ _id }),
    /** Stores the message. Resolves only once it is durable. */
    async create({ _id, email, title, message, createdAt }: NewContact): Promise<ContactRecord> {
      const contact = { _id: _id ?? newId(createdAt), email, title, message, createdAt, doneAt: null }
      await contacts.insert(contact)
      return contact
    },
    /** Marks a message as done at a time, or with null as open again. Returns null when no message has this ID. */
    setDone: (_id: string, doneAt: number | null) => contacts.change({ _id }, { doneAt }),
    /** Returns false when no message has this ID. */
    remove: async (_id: string) => (await contacts.remove({ _id })) === 1,
  }
}

export type ContactRepository = ReturnType<typeof openContacts>
