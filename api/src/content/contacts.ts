import { type ErrorDetail, fieldErrors } from '@proctorpass/shared/errors'
import {
  CONTACT_MESSAGE_MAX,
  CONTACT_TITLE_MAX,
  CONTACTS_PER_PAGE_DEFAULT,
  EMAIL_MAX,
  EMAIL_PATTERN,
} from '@proctorpass/shared/limits'
import type { ContactList, NewContact } from '@proctorpass/shared/schemas/contact'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import { lineProblem, textProblem } from '@proctorpass/shared/text-rules'
import type { AdminCaller } from '../auth/caller.ts'
import { type Limits, pointsToStore } from '../limits/limits.ts'
import type { Storage } from '../storage/storage.ts'

const EMAIL = new RegExp(EMAIL_PATTERN, 'u')

/** Use cases of contact messages: everyone sends, admins read. */
export interface Contacts {
  /**
   * Resolves with a message for the visitor once the contact is durable. Stores nothing when the honeypot is filled, as
   * only robots do. Throws AppError `invalid-input` with a detail for each wrong field.
   */
  send(contact: NewContact, address: string): Promise<string>
  /** Newest first. */
  list(admin: AdminCaller, query: ListQuery): Promise<ContactList>
}

interface ContactsDeps {
  storage: Storage
  limits: Limits
  now: () => number
}

export function createContacts({ storage, limits, now }: ContactsDeps): Contacts {
  return {
    async send(input, address) {
      const contact = checked(input)
      await limits.take('contact', address)
      await limits.take('stored', address, pointsToStore(contact.email, contact.title, contact.message))
      if (!input.website) await storage.contacts.create({ ...contact, createdAt: now() })
      return 'Thank you. We read every message and answer by email.'
    },

    async list(_admin, { page = 1, perPage = CONTACTS_PER_PAGE_DEFAULT }) {
      const { items, count } = await storage.contacts.list({ page, perPage })
      return {
        contacts: items.map(({ _id, email, title, message, createdAt }) => ({
          _id,
          email,
          title,
          message,
          createdAt: new Date(createdAt).toISOString(),
        })),
        count,
      }
    },
  }
}

/** The texts as they are stored: trimmed, with \n as line break, and nothing that breaks a store, a mail or a screen. */
function checked(input: NewContact): { email: string; title: string; message: string } {
  const email = input.email.trim()
  // Removed, not refused: a visitor does not see pasted direction marks.
  const title = input.title.replace(/[\u202a-\u202e\u2066-\u2069]/g, '').trim()
  const message = input.message.trim().replaceAll('\r\n', '\n')
  const details: ErrorDetail[] = []
  const wrong = (field: string, message: string) => details.push({ field, message })

  if (email === '') wrong('email', 'Email is required')
  else if (email.length > EMAIL_MAX || !EMAIL.test(email)) {
    wrong('email', 'This does not look like an email address.')
  }

  if (title === '') wrong('title', 'Title is required')
  else {
    // One line: it becomes the subject of a mail.
    const problem = lineProblem(title, CONTACT_TITLE_MAX)
    if (problem !== null) wrong('title', problem)
  }

  if (message === '') wrong('message', 'Message is required')
  else {
    const problem = textProblem(message, CONTACT_MESSAGE_MAX)
    if (problem !== null) wrong('message', problem)
  }

  if (details.length > 0) throw fieldErrors(details)
  return { email, title, message }
}
