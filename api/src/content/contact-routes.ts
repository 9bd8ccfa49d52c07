import { ContactListSchema, NewContactSchema } from '@proctorpass/shared/schemas/contact'
import { DoneSchema, ListQuerySchema } from '@proctorpass/shared/schemas/list'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Contacts } from './contacts.ts'
import { fillMissing } from './fill-missing.ts'

const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }

/** The contact form, and the list of its messages. */
export function contactRoutes(app: TypedApp, { contacts }: { contacts: Contacts }): void {
  app.post(
    '/contacts',
    {
      schema: {
        tags: ['contacts'],
        summary: 'Send a contact message',
        body: NewContactSchema,
        response: { 201: DoneSchema, ...errors },
      },
      preValidation: async (request) => fillMissing(request, { email: '', title: '', message: '' }),
    },
    async (request, reply) => {
      const message = await contacts.send(request.body, request.ip)
      reply.code(201)
      return { message }
    },
  )

  app.get(
    '/contacts',
    {
      schema: {
        tags: ['contacts'],
        summary: 'A page of contact messages, newest first',
        security: [{ accessToken: [] }],
        querystring: ListQuerySchema,
        response: { 200: ContactListSchema, ...errors },
      },
    },
    async (request) => {
      const list = await contacts.list(adminOf(request), request.query)
      // The two spaces are part of the API.
      return list.contacts.length === 0 ? { ...list, message: 'No contacts  found!' } : list
    },
  )
}
