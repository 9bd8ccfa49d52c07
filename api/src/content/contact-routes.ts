import { ID_PATTERN } from '@proctorpass/shared/limits'
import { ContactListSchema, ContactSchema, NewContactSchema } from '@proctorpass/shared/schemas/contact'
import { DoneSchema, ListQuerySchema } from '@proctorpass/shared/schemas/list'
import Type from 'typebox'
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

  app.get(
    '/contacts/:id',
    {
      schema: {
        tags: ['contacts'],
        summary: 'A contact message',
        security: [{ accessToken: [] }],
        params: Type.Object({ id: Type.String({ pattern: ID_PATTERN }) }),
        response: { 200: ContactSchema, ...errors },
      },
    },
    async (request) => contacts.get(adminOf(request), request.params.id),
  )
}
