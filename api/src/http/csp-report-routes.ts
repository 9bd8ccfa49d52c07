import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Limits } from '../limits/limits.ts'
import { REFUSALS_LISTED, type RefusalLog } from './refusal-log.ts'

export const CSP_REPORT_PATH = '/csp-report'

/**
 * Browsers tell here what the Content-Security-Policy has stopped. Only the directive and the origin of what was
 * stopped reach the log: the page's own address may hold a clientId, and the rest is whatever a stranger sends.
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
        summary: 'What a browser reports of the Content-Security-Policy',
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await limits.take('report', request.ip)
      const report = readReport(request.body)
      if (report !== null && refusals.mayList('csp-report', REFUSALS_LISTED))
        request.log.warn(report, 'the Content-Security-Policy stopped something')
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

/** An origin, or one of the words that browsers put in its place, such as `inline` or `trusted-types-sink`. */
function blockedInLog(blocked: string): string {
  if (URL.canParse(blocked)) return new URL(blocked).origin
  return /^[a-z-]{1,24}$/.test(blocked) ? blocked : 'other'
}
