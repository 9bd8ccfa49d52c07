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

/** Serves an admin's own devices, which receive notifications by Web Push. */
export function pushRoutes(app: TypedApp, { devices }: { devices: OwnDevices }): void {
  app.get(
    '/push/key',
    {
      schema: {
        tags,
        summary: 'The public key with which browsers subscribe to notifications',
        response: { 200: PushKeySchema },
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
        response: { 200: PushDeviceListSchema },
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
        body: SubscribePushSchema,
        response: { 200: SubscribedPushSchema, 201: SubscribedPushSchema },
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
        body: UnsubscribePushSchema,
        response: { 204: Type.Null() },
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
        body: TestPushSchema,
        response: { 200: TestedPushSchema },
      },
    },
    (request) => devices.test(adminOf(request), request.body),
  )
}
