import {
  DeliveriesQuerySchema,
  DeliveryPageSchema,
  EndpointChangeSchema,
  EndpointListSchema,
  EndpointParamSchema,
  EndpointSecretSchema,
  NewEndpointSchema,
  QueuedSchema,
  ReplaySchema,
  SavedEndpointSchema,
} from '@proctorpass/shared/schemas/endpoint'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Endpoints } from './endpoints.ts'

const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }
const shared = { tags: ['endpoints'], security: [{ accessToken: [] }] }
const ofOne = { ...shared, params: EndpointParamSchema }

/** Endpoints that events are posted to, for signed-in admins only. */
export function endpointRoutes(app: TypedApp, { endpoints }: { endpoints: Endpoints }): void {
  app.get(
    '/endpoints',
    {
      schema: {
        ...shared,
        summary: 'The endpoints, in order of creation',
        response: { 200: EndpointListSchema, ...errors },
      },
    },
    (request) => endpoints.list(adminOf(request)),
  )

  app.post(
    '/endpoints',
    {
      schema: {
        ...shared,
        summary: 'Add an endpoint; only this answer has its secret',
        body: NewEndpointSchema,
        response: { 201: EndpointSecretSchema, ...errors },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const created = await endpoints.create(admin, request.body)
      request.log.info({ userId: admin.userId, endpointId: created.data._id }, 'endpoint added')
      reply.code(201)
      return created
    },
  )

  app.patch(
    '/endpoints/:id',
    {
      schema: {
        ...ofOne,
        summary: 'Change, disable or enable an endpoint; with `version`, 409 when another one is stored',
        body: EndpointChangeSchema,
        response: { 200: SavedEndpointSchema, ...errors },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const data = await endpoints.update(admin, request.params.id, request.body)
      request.log.info({ userId: admin.userId, endpointId: data._id }, 'endpoint changed')
      return { message: 'Endpoint saved', data }
    },
  )

  app.delete(
    '/endpoints/:id',
    {
      schema: {
        ...ofOne,
        summary: 'Delete an endpoint for good',
        response: { 204: Type.Null(), ...errors },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      await endpoints.remove(admin, request.params.id)
      request.log.info({ userId: admin.userId, endpointId: request.params.id }, 'endpoint deleted')
      return reply.code(204).send(null)
    },
  )

  app.post(
    '/endpoints/:id/secret',
    {
      schema: {
        ...ofOne,
        summary: 'A new secret, which only this answer has; the one before signs too for 24 hours',
        response: { 201: EndpointSecretSchema, ...errors },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const made = await endpoints.newSecret(admin, request.params.id)
      request.log.info({ userId: admin.userId, endpointId: made.data._id }, 'endpoint secret made')
      reply.code(201)
      return made
    },
  )

  deliveryRoutes(app, { endpoints })
}

function deliveryRoutes(app: TypedApp, { endpoints }: { endpoints: Endpoints }): void {
  app.post(
    '/endpoints/:id/test',
    {
      schema: {
        ...ofOne,
        summary: 'Post an event of the type `test` once, also to a disabled endpoint',
        response: { 202: QueuedSchema, ...errors },
      },
    },
    async (request, reply) => {
      const queued = await endpoints.test(adminOf(request), request.params.id)
      reply.code(202)
      return queued
    },
  )

  app.post(
    '/endpoints/:id/replay',
    {
      schema: {
        ...ofOne,
        summary: 'Post the events from one id to another again; 410 when some are no longer kept',
        body: ReplaySchema,
        response: { 202: QueuedSchema, ...errors },
      },
    },
    async (request, reply) => {
      const queued = await endpoints.replay(adminOf(request), request.params.id, request.body)
      reply.code(202)
      return queued
    },
  )

  app.get(
    '/endpoints/:id/deliveries',
    {
      schema: {
        ...ofOne,
        summary: 'Deliveries to an endpoint, newest first; `next` is the cursor of the following page',
        querystring: DeliveriesQuerySchema,
        response: { 200: DeliveryPageSchema, ...errors },
      },
    },
    (request) => endpoints.deliveries(adminOf(request), request.params.id, request.query.cursor),
  )
}
