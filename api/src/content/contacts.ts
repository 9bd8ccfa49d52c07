import { AppError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { CONTACT_FIELDS } from '@proctorpass/shared/fields/contact'
import { CONTACTS_PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import type { Contact, ContactChange, ContactList, NewContact } from '@proctorpass/shared/schemas/contact'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import { type Limits, pointsToStore } from '../limits/limits.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { ContactRecord } from '../storage/model/contacts.ts'
import type { Storage } from '../storage/model/storage.ts'

interface ContactsDeps {
  storage: Storage
  limits: Limits
  now: () => number
}

/** The use cases for contact messages: everyone sends; admins read, mark, and delete. */
export function createContacts({ storage, limits, now }: ContactsDeps) {
  return {
    /**
     * Resolves with a message for the visitor once the contact is durable. Stores nothing if the honeypot is filled,
     * because only robots do that. Throws an AppError `invalid-input` with a detail for each wrong field.
     */
    async send(input: NewContact, address: string): Promise<string> {
      const contact = checkFields(CONTACT_FIELDS, input)
      await limits.take('contact', address)
      await limits.take('stored', address, pointsToStore(contact.email, contact.title, contact.message))
      if (!input.website) await storage.contacts.create({ ...contact, createdAt: now() })
      return "Thank you. We'll reply by email."
    },

    /** Returns a page of contact messages, newest first. */
    async list(
      _admin: AdminCaller,
      { page = 1, perPage = CONTACTS_PER_PAGE_DEFAULT }: ListQuery,
    ): Promise<ContactList> {
      const { items, count } = await storage.contacts.list({ page, perPage })
      return {
        contacts: items.map(toContact),
        count,
      }
    },

    /** Throws an AppError `not-found` for an unknown message. */
    async get(_admin: AdminCaller, id: string): Promise<Contact> {
      const found = await storage.contacts.findById(id)
      if (found === null) throw notFound()
      return toContact(found)
    },

    /**
     * Marks a message as done, or as open again. Repeating it changes nothing, not even the time. Throws an AppError
     * `not-found` for an unknown message.
     */
    async change(_admin: AdminCaller, id: string, { done }: ContactChange): Promise<Contact> {
      const found = await storage.contacts.findById(id)
      const isSame = found !== null && (found.doneAt !== null) === done
      const changed = isSame ? found : await storage.contacts.setDone(id, done ? now() : null)
      if (changed === null) throw notFound()
      return toContact(changed)
    },

    /** Deletes a message for good. Throws an AppError `not-found` for an unknown one. */
    async remove(admin: AdminCaller, id: string): Promise<void> {
      const entry = auditEntry(admin, 'contact.deleted', { target: id })
      if (!(await withEntry(entry, () => storage.contacts.remove(id)))) throw notFound()
    },
  }
}

export type Contacts = ReturnType<typeof createContacts>

function notFound(): AppError {
  return new AppError('not-found', 'Contact message not found.')
}

function toContact({ _id, email, title, message, createdAt, doneAt }: ContactRecord): Contact {
  const isoTime = (at: number) => new Date(at).toISOString()
  const done = doneAt === null ? null : isoTime(doneAt)
  return { _id, email, title, message, createdAt: isoTime(createdAt), doneAt: done }
}
