import Type, { type Static } from 'typebox'

/** A contact message. The use case judges the texts after trimming, with a message beside each field. */
export const NewContactSchema = Type.Object({
  email: Type.String(),
  title: Type.String(),
  message: Type.String(),
  /** The honeypot, hidden from people. A filled one is answered as if the message had been stored. */
  website: Type.Optional(Type.String()),
})
export type NewContact = Static<typeof NewContactSchema>

export const ContactSchema = Type.Object({
  _id: Type.String(),
  email: Type.String(),
  title: Type.String(),
  message: Type.String(),
  /** The time in ISO 8601, UTC, with milliseconds. */
  createdAt: Type.String(),
  /** When an admin marked it as done; null until then. */
  doneAt: Type.Union([Type.String(), Type.Null()]),
})
export type Contact = Static<typeof ContactSchema>

export const ContactChangeSchema = Type.Object({ done: Type.Boolean() })
export type ContactChange = Static<typeof ContactChangeSchema>

export const ChangedContactSchema = Type.Object({ message: Type.String(), data: ContactSchema })
export type ChangedContact = Static<typeof ChangedContactSchema>

/**
 * Contact messages, newest first. `message` is present only if `contacts` is empty, which includes pages beyond the
 * end. `count` counts all of them.
 */
export const ContactListSchema = Type.Object({
  contacts: Type.Array(ContactSchema),
  count: Type.Integer(),
  message: Type.Optional(Type.String()),
})
export type ContactList = Static<typeof ContactListSchema>
