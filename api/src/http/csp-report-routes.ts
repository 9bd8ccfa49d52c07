import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Limits } from '../limits/limits.ts'
import { REFUSALS_LISTED, type RefusalLog } from './refusal-log.ts'

export const CSP_REPORT_PATH = '/csp-report'

/**
 * Receives browsers' reports about the Content-Security-Policy. Only the directive and the blocked origin are logged,
 * because the page's address may contain a clientId, and the rest is arbitrary input.
 */
export function cspReportRoutes(
  app: FastifyInstance,
  { limits, refusals }: { limits: Limits; refusals: RefusalLog },
): void {
  app.addContentTypeParser<string>('application/csp-report', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  )
  app.post<{ Body: string }>(
    CSP_REPORT_PATH,
    {
      schema: {
        tags: ['config'],
        summary: 'Report a violation of the Content-Security-Policy',
        response: { 204: Type.Null() },
      },
      config: { errors: false },
    },
    async (request, reply) => {
      await limits.take('report', request.ip)
      const report = readReport(request.body)
      if (report !== null && refusals.mayList('csp-report', REFUSALS_LISTED))
        request.log.warn(report, 'violation of the Content-Security-Policy')
      return reply.code(204).send()
    },
  )
}

function readReport(body: unknown): { directive: string; blocked: string } | null {
  try {
    const report = JSON.parse(String(body))['csp-report']
    const directive = String(report['effective-directive'] ?? report['violated-directive'])
    if (!/^[a-z-]{1,40}$/.test(directive)) return null
    return { directive, blocked: blockedInLog(String(report['blocked-uri'])) }
  } catch {
    return null
  }
}

/** Returns an origin, or a browser's keyword such as `inline` or `trusted-types-sink`. */
function blockedInLog(blocked: string): string {
  if (URL.canParse(blocked)) return new URL(blocked).origin
  return /^[a-z-]{1,24}$/.test(blocked) ? blocked : 'other'
}
