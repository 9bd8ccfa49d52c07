import { ID_PATTERN } from '@proctorpass/shared/limits'
import {
  ChangedContactSchema,
  ContactChangeSchema,
  ContactListSchema,
  ContactSchema,
  NewContactSchema,
} from '@proctorpass/shared/schemas/contact'
import { DoneSchema, ListQuerySchema } from '@proctorpass/shared/schemas/list'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Contacts } from './contacts.ts'
import { fillMissing } from './fill-missing.ts'

const params = Type.Object({ id: Type.String({ pattern: ID_PATTERN }) })

/** Serves the contact form, and the list of its messages. */
export function contactRoutes(app: TypedApp, { contacts }: { contacts: Contacts }): void {
  app.post(
    '/contacts',
    {
      schema: {
        summary: 'Send a contact message',
        body: NewContactSchema,
        response: { 201: DoneSchema },
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
        summary: 'A page of contact messages, newest first',
        querystring: ListQuerySchema,
        response: { 200: ContactListSchema },
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
    { schema: { summary: 'A contact message', params, response: { 200: ContactSchema } } },
    async (request) => contacts.get(adminOf(request), request.params.id),
  )

  app.patch(
    '/contacts/:id',
    {
      schema: {
        summary: 'Mark a contact message as done, or as open again',
        params,
        body: ContactChangeSchema,
        response: { 200: ChangedContactSchema },
      },
    },
    async (request) => {
      const data = await contacts.change(adminOf(request), request.params.id, request.body)
      return { message: data.doneAt === null ? 'Marked as open' : 'Marked as done', data }
    },
  )

  app.delete(
    '/contacts/:id',
    { schema: { summary: 'Delete a contact message for good', params, response: { 204: Type.Null() } } },
    async (request, reply) => {
      const admin = adminOf(request)
      await contacts.remove(admin, request.params.id)
      request.log.info({ userId: admin.userId, contactId: request.params.id }, 'contact message deleted')
      return reply.code(204).send(null)
    },
  )
}
