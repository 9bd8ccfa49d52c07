import { AppError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { CONTACT_FIELDS } from '@proctorpass/shared/fields/contact'
import { CONTACTS_PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import type { Contact, ContactChange, ContactList, NewContact } from '@proctorpass/shared/schemas/contact'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import { type Limits, pointsToStore } from '../limits/limits.ts'
import type { ContactRecord } from '../storage/port/records.ts'
import type { Storage } from '../storage/port/storage.ts'
import { withEntry } from '../storage/rules/due-entry.ts'

/** Use cases of contact messages: everyone sends, admins read, mark and delete. */
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
  /** Marks it as done, or as open again. Repeating it changes nothing, not even the time. Throws AppError `not-found`. */
  change(admin: AdminCaller, id: string, change: ContactChange): Promise<Contact>
  /** Final. Throws AppError `not-found`. */
  remove(admin: AdminCaller, id: string): Promise<void>
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
      if (found === null) throw notFound()
      return toContact(found)
    },

    async change(_admin, id, { done }) {
      const found = await storage.contacts.findById(id)
      const isSame = found !== null && (found.doneAt !== null) === done
      const changed = isSame ? found : await storage.contacts.setDone(id, done ? now() : null)
      if (changed === null) throw notFound()
      return toContact(changed)
    },

    async remove(admin, id) {
      const entry = auditEntry(admin, 'contact.deleted', { target: id })
      if (!(await withEntry(entry, () => storage.contacts.remove(id)))) throw notFound()
    },
  }
}

function notFound(): AppError {
  return new AppError('not-found', 'Contact message not found.')
}

function toContact({ _id, email, title, message, createdAt, doneAt }: ContactRecord): Contact {
  const isoTime = (at: number) => new Date(at).toISOString()
  const done = doneAt === null ? null : isoTime(doneAt)
  return { _id, email, title, message, createdAt: isoTime(createdAt), doneAt: done }
}
