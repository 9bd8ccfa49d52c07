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
        params,
        response: { 200: ContactSchema, ...errors },
      },
    },
    async (request) => contacts.get(adminOf(request), request.params.id),
  )

  app.patch(
    '/contacts/:id',
    {
      schema: {
        tags: ['contacts'],
        summary: 'Mark a contact message as done, or as open again',
        security: [{ accessToken: [] }],
        params,
        body: ContactChangeSchema,
        response: { 200: ChangedContactSchema, ...errors },
      },
    },
    async (request) => {
      const data = await contacts.change(adminOf(request), request.params.id, request.body)
      return { message: data.doneAt === null ? 'Marked as open' : 'Marked as done', data }
    },
  )

  app.delete(
    '/contacts/:id',
    {
      schema: {
        tags: ['contacts'],
        summary: 'Delete a contact message for good',
        security: [{ accessToken: [] }],
        params,
        response: { 204: Type.Null(), ...errors },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      await contacts.remove(admin, request.params.id)
      request.log.info({ userId: admin.userId, contactId: request.params.id }, 'contact message deleted')
      return reply.code(204).send(null)
    },
  )
}
