import { EventPageSchema, EventsQuerySchema } from '@proctorpass/shared/schemas/event'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Events } from './events.ts'

export function eventRoutes(app: TypedApp, { events }: { events: Events }): void {
  app.get(
    '/events',
    {
      schema: {
        summary:
          'What happened, in order and without a gap; 410 when events after `after` are no longer kept',
        querystring: EventsQuerySchema,
        response: { 200: EventPageSchema },
      },
    },
    (request) => events.page(adminOf(request), request.query),
  )
}
