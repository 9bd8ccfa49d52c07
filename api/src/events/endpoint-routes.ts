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

/** Serves endpoints, to which events are posted, to signed-in admins only. */
export function endpointRoutes(app: TypedApp, { endpoints }: { endpoints: Endpoints }): void {
  app.get(
    '/endpoints',
    { schema: { summary: 'The endpoints, in order of creation', response: { 200: EndpointListSchema } } },
    (request) => endpoints.list(adminOf(request)),
  )

  app.post(
    '/endpoints',
    {
      schema: {
        summary: 'Add an endpoint; only this answer has its secret',
        body: NewEndpointSchema,
        response: { 201: EndpointSecretSchema },
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
        summary: 'Change, disable or enable an endpoint; with `version`, 409 when another one is stored',
        params: EndpointParamSchema,
        body: EndpointChangeSchema,
        response: { 200: SavedEndpointSchema },
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
        summary: 'Delete an endpoint for good',
        params: EndpointParamSchema,
        response: { 204: Type.Null() },
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
        summary: 'A new secret, which only this answer has; the one before signs too for 24 hours',
        params: EndpointParamSchema,
        response: { 201: EndpointSecretSchema },
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
        summary: 'Post an event of the type `test` once, also to a disabled endpoint',
        params: EndpointParamSchema,
        response: { 202: QueuedSchema },
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
        summary: 'Post the events from one id to another again; 410 when some are no longer kept',
        params: EndpointParamSchema,
        body: ReplaySchema,
        response: { 202: QueuedSchema },
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
        summary: 'Deliveries to an endpoint, newest first; `next` is the cursor of the following page',
        params: EndpointParamSchema,
        querystring: DeliveriesQuerySchema,
        response: { 200: DeliveryPageSchema },
      },
    },
    (request) => endpoints.deliveries(adminOf(request), request.params.id, request.query.cursor),
  )
}
