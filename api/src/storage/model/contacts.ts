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
  /** When an admin marked it as done; null until then. */
  doneAt: number | null
}

/** `_id`: of a mail, so that it is stored once; else it is made. */
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
    /** Newest first by createdAt, then by _id. */
    list: (page: PageOfList) => pageOf(contacts, {}, NEWEST_FIRST, page),
    findById: (_id: string) => contacts.find({ _id }),
    /** Resolves only once the message is durable. */
    async create({ _id, email, title, message, createdAt }: NewContact): Promise<ContactRecord> {
      const contact = { _id: _id ?? newId(createdAt), email, title, message, createdAt, doneAt: null }
      await contacts.insert(contact)
      return contact
    },
    /** Marks it as done at that time, or with null as open again. Null when there is none with this id. */
    setDone: (_id: string, doneAt: number | null) => contacts.change({ _id }, { doneAt }),
    /** False when there is none with this id. */
    remove: async (_id: string) => (await contacts.remove({ _id })) === 1,
  }
}

export type ContactRepository = ReturnType<typeof openContacts>
