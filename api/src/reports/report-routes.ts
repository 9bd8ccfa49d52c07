import {
  NowSchema,
  ReportConversationsQuerySchema,
  ReportConversationsSchema,
  ReportQuerySchema,
  ReportSchema,
} from '@proctorpass/shared/schemas/report'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import { reportCsv } from './report-csv.ts'
import type { ReportUseCases } from './reports.ts'

const tags = ['reports']
const security = [{ accessToken: [] }]
const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }

export function reportRoutes(app: TypedApp, { reports }: { reports: ReportUseCases }): void {
  app.get(
    '/reports',
    {
      schema: {
        tags,
        summary: 'Figures of conversations in a range of days',
        security,
        querystring: ReportQuerySchema,
        response: { 200: ReportSchema, ...errors },
      },
    },
    (request) => reports.report(adminOf(request), request.query),
  )

  app.get(
    '/reports.csv',
    {
      schema: {
        tags,
        summary: 'The same as CSV, a table for each part',
        security,
        querystring: ReportQuerySchema,
        response: { 200: Type.String(), ...errors },
      },
    },
    async (request, reply) => {
      const report = await reports.exported(adminOf(request), request.query)
      reply.header('content-type', 'text/csv; charset=utf-8')
      const name = `reports-${report.from}-${report.to}.csv`
      reply.header('content-disposition', `attachment; filename="${name}"`)
      return reportCsv(report)
    },
  )

  app.get(
    '/reports/conversations',
    {
      schema: {
        tags,
        summary: 'The conversations that a figure counts',
        security,
        querystring: ReportConversationsQuerySchema,
        response: { 200: ReportConversationsSchema, ...errors },
      },
    },
    (request) => reports.conversations(adminOf(request), request.query),
  )

  app.get(
    '/reports/now',
    {
      schema: {
        tags,
        summary: 'Who waits, who is there, and the first waits of today',
        security,
        response: { 200: NowSchema, ...errors },
      },
    },
    (request) => reports.now(adminOf(request)),
  )
}
