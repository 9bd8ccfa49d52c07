import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Env } from '../env/env.ts'

const PATH = '/.well-known/security.txt'
const DAY_MS = 24 * 60 * 60 * 1_000
/** RFC 9116 recommends less than a year. */
const VALID_DAYS = 180

/** Says where to report a vulnerability, in the format of RFC 9116. */
export function securityTxtRoutes(
  app: FastifyInstance,
  { env, now }: { env: Pick<Env, 'publicUrl' | 'supportEmail'>; now: () => number },
): void {
  app.get(
    PATH,
    {
      schema: {
        tags: ['health'],
        summary: 'Where to report a vulnerability (RFC 9116)',
        response: { 200: Type.String() },
      },
      config: { errors: false },
    },
    async (_request, reply) => {
      // The time is rounded to a day, so that all nodes give the same answer.
      const expires = new Date((Math.floor(now() / DAY_MS) + VALID_DAYS) * DAY_MS)
      const lines = [
        `Contact: mailto:${env.supportEmail.split('@').map(encodeURIComponent).join('@').replaceAll('%2B', '+')}`,
        `Expires: ${expires.toISOString().replace('.000', '')}`,
        'Preferred-Languages: en',
      ]
      if (env.publicUrl.startsWith('https:')) lines.push(`Canonical: ${env.publicUrl}${PATH}`)
      reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=86400')
      return `${lines.join('\n')}\n`
    },
  )
}
