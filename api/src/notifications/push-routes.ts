import {
  PushDeviceListSchema,
  PushKeySchema,
  SubscribedPushSchema,
  SubscribePushSchema,
  TestedPushSchema,
  TestPushSchema,
  UnsubscribePushSchema,
} from '@proctorpass/shared/schemas/push'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { OwnDevices } from './own-devices.ts'

const tags = ['notifications']
const security = [{ accessToken: [] }]
const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }

/** An admin's own devices, which receive notifications by Web Push. */
export function pushRoutes(app: TypedApp, { devices }: { devices: OwnDevices }): void {
  app.get(
    '/push/key',
    {
      schema: {
        tags,
        summary: 'The public key with which browsers subscribe to notifications',
        security,
        response: { 200: PushKeySchema, ...errors },
      },
    },
    () => devices.key(),
  )

  app.get(
    '/account/push',
    {
      schema: {
        tags,
        summary: 'Your devices that receive notifications, the newest first',
        security,
        response: { 200: PushDeviceListSchema, ...errors },
      },
    },
    (request) => devices.list(adminOf(request)),
  )

  app.post(
    '/account/push',
    {
      schema: {
        tags,
        summary: 'Receive notifications in this browser until its session ends; 200 when it is known already',
        security,
        body: SubscribePushSchema,
        response: { 200: SubscribedPushSchema, 201: SubscribedPushSchema, ...errors },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const { device, created } = await devices.subscribe(admin, request.body)
      request.log.info({ userId: admin.userId, deviceId: device._id }, 'notifications turned on')
      reply.code(created ? 201 : 200)
      return { message: 'Notifications are on', data: device }
    },
  )

  app.delete(
    '/account/push',
    {
      schema: {
        tags,
        summary: 'Receive no notifications in one of your browsers anymore',
        security,
        body: UnsubscribePushSchema,
        response: { 204: Type.Null(), ...errors },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      await devices.unsubscribe(admin, request.body)
      request.log.info({ userId: admin.userId }, 'notifications turned off')
      reply.code(204)
      return null
    },
  )

  app.post(
    '/account/push/test',
    {
      schema: {
        tags,
        summary: 'Send a test notification to one of your devices, or to all',
        security,
        body: TestPushSchema,
        response: { 200: TestedPushSchema, ...errors },
      },
    },
    (request) => devices.test(adminOf(request), request.body),
  )
}
