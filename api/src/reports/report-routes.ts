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
import type { ReportUseCases } from './report-use-cases.ts'

export function reportRoutes(app: TypedApp, { reports }: { reports: ReportUseCases }): void {
  app.get(
    '/reports',
    {
      schema: {
        summary: 'Figures of conversations in a range of days',
        querystring: ReportQuerySchema,
        response: { 200: ReportSchema },
      },
    },
    (request) => reports.report(adminOf(request), request.query),
  )

  app.get(
    '/reports.csv',
    {
      schema: {
        summary: 'The same as CSV, a table for each part',
        querystring: ReportQuerySchema,
        response: { 200: Type.String() },
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
        summary: 'The conversations that a figure counts',
        querystring: ReportConversationsQuerySchema,
        response: { 200: ReportConversationsSchema },
      },
    },
    (request) => reports.conversations(adminOf(request), request.query),
  )

  app.get(
    '/reports/now',
    {
      schema: {
        summary: 'Who waits, who is there, and the first waits of today',
        response: { 200: NowSchema },
      },
    },
    (request) => reports.now(adminOf(request)),
  )
}
