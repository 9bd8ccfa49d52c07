import { AppError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { CONTACT_FIELDS } from '@proctorpass/shared/fields/contact'
import { CONTACTS_PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import type { Contact, ContactList, NewContact } from '@proctorpass/shared/schemas/contact'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import type { AdminCaller } from '../auth/caller.ts'
import { type Limits, pointsToStore } from '../limits/limits.ts'
import type { ContactRecord } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/** Use cases of contact messages: everyone sends, admins read. */
export interface Contacts {
  /**
   * Resolves with a message for the visitor once the contact is durable. Stores nothing when the honeypot is filled, as
   * only robots do. Throws AppError `invalid-input` with a detail for each wrong field.
   */
  send(contact: NewContact, address: string): Promise<string>
  /** Newest first. */
  list(admin: AdminCaller, query: ListQuery): Promise<ContactList>
  /** Throws AppError `not-found`. */
  get(admin: AdminCaller, id: string): Promise<Contact>
}

interface ContactsDeps {
  storage: Storage
  limits: Limits
  now: () => number
}

export function createContacts({ storage, limits, now }: ContactsDeps): Contacts {
  return {
    async send(input, address) {
      const contact = checkFields(CONTACT_FIELDS, input)
      await limits.take('contact', address)
      await limits.take('stored', address, pointsToStore(contact.email, contact.title, contact.message))
      if (!input.website) await storage.contacts.create({ ...contact, createdAt: now() })
      return "Thank you. We'll reply by email."
    },

    async list(_admin, { page = 1, perPage = CONTACTS_PER_PAGE_DEFAULT }) {
      const { items, count } = await storage.contacts.list({ page, perPage })
      return {
        contacts: items.map(toContact),
        count,
      }
    },

    async get(_admin, id) {
      const found = await storage.contacts.findById(id)
      if (found === null) throw new AppError('not-found', 'Contact message not found.')
      return toContact(found)
    },
  }
}

function toContact({ _id, email, title, message, createdAt }: ContactRecord): Contact {
  return { _id, email, title, message, createdAt: new Date(createdAt).toISOString() }
}
