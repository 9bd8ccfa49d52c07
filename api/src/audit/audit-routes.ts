import { Readable } from 'node:stream'
import { AuditFilterSchema, AuditPageSchema, AuditQuerySchema } from '@proctorpass/shared/schemas/audit'
import Type from 'typebox'
import type { TypedApp } from '../http/validation.ts'
import type { Audit } from './audit.ts'
import type { Actor } from './entry.ts'

export function auditRoutes(app: TypedApp, { audit }: { audit: Audit }): void {
  app.get(
    '/audit',
    {
      schema: {
        summary: 'What was done, newest first',
        querystring: AuditQuerySchema,
        response: { 200: AuditPageSchema },
      },
    },
    (request) => audit.list(request.query),
  )

  app.get(
    '/audit.csv',
    {
      schema: {
        summary: 'The same as CSV, all entries',
        querystring: AuditFilterSchema,
        response: { 200: Type.String() },
      },
    },
    async (request, reply) => {
      const parts = await audit.csv(request.admin as Actor, request.query)
      reply.header('content-type', 'text/csv; charset=utf-8')
      reply.header('content-disposition', 'attachment; filename="audit.csv"')
      return reply.send(Readable.from(parts) as never)
    },
  )
}
