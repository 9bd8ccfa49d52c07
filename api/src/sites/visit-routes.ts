import { embedPaths } from '@proctorpass/shared/embed'
import { AppError } from '@proctorpass/shared/errors'
import {
  IdentifySchema,
  OpenedSchema,
  RememberSchema,
  RestoredSchema,
  SiteOfFrameSchema,
  SiteTestReportSchema,
} from '@proctorpass/shared/schemas/site'
import Type from 'typebox'
import { REFUSALS_LISTED } from '../http/refusal-log.ts'
import type { TypedApp } from '../http/validation.ts'
import { type Continuity, REMEMBERED_DAYS } from './continuity.ts'
import type { Identities } from './identify.ts'
import type { SiteTests } from './site-tests.ts'

const tags = ['chat']

interface VisitRoutesOptions {
  continuity: Continuity
  identities: Identities
  siteTests: SiteTests
  publicUrl: string
}

/**
 * Serves the routes that tell who the visitor of a frame is. They are at the root, as the frame is, and only for our
 * own pages.
 */
export function visitRoutes(
  app: TypedApp,
  { continuity, identities, siteTests, publicUrl }: VisitRoutesOptions,
): void {
  // Browsers keep no secure cookie of a plain HTTP page, unless the page comes from this machine.
  const { protocol, hostname } = new URL(publicUrl)
  const hasCookie = protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  // The cookie is named after the site, because two sites may share a domain, and so a partition.
  const nameOf = (site: string) => `__Host-chat-${site}`
  const attributes = {
    path: '/',
    httpOnly: true,
    secure: true,
    sameSite: 'none',
    partitioned: true,
  } as const

  app.post(
    embedPaths.remember(':site'),
    {
      schema: {
        tags,
        summary: "Let this browser continue the conversation when the frame's storage is gone: sets a cookie",
        params: SiteOfFrameSchema,
        body: RememberSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { site } = request.params
      const text = await continuity.remember(site, request.body, request.cookies[nameOf(site)], request.ip)
      const maxAge = REMEMBERED_DAYS * 24 * 60 * 60
      if (hasCookie) reply.setCookie(nameOf(site), text, { ...attributes, maxAge })
      return reply.code(204).send(null)
    },
  )

  app.delete(
    embedPaths.remember(':site'),
    {
      schema: {
        tags,
        summary: 'Forget this browser: it continues the conversation no longer',
        params: SiteOfFrameSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { site } = request.params
      // The cookie is cleared first, so that it is gone even if the store fails.
      if (hasCookie) reply.clearCookie(nameOf(site), attributes)
      await continuity.forget(request.cookies[nameOf(site)])
      return reply.code(204).send(null)
    },
  )

  app.post(
    embedPaths.restore(':site'),
    {
      schema: {
        tags,
        summary: 'The conversation of the cookie, with the key of the cookie; 204 without one',
        params: SiteOfFrameSchema,
        response: { 200: RestoredSchema, 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { site } = request.params
      const opened = await continuity.restore(site, request.cookies[nameOf(site)], request.ip)
      return opened ?? reply.code(204).send(null)
    },
  )

  app.post(
    embedPaths.identify(':site'),
    {
      schema: {
        tags,
        summary: 'The conversation of a signed visitor, by a token of the website',
        params: SiteOfFrameSchema,
        body: IdentifySchema,
        response: { 200: OpenedSchema },
      },
    },
    async (request) => {
      const { site } = request.params
      try {
        return await identities.identify(site, request.body, request.ip)
      } catch (error) {
        if (error instanceof AppError && error.code === 'bad-identity') {
          // The cause appears in this log line and nowhere else. It contains nothing of the token.
          if (request.body.test !== undefined) void siteTests.identityRefused(site, request.body.test)
          if (app.refusals.mayList(`identity refused ${site}`, REFUSALS_LISTED))
            request.log.warn({ siteId: site, reason: (error.cause as Error).message }, 'identity refused')
        }
        throw error
      }
    },
  )

  app.post(
    embedPaths.test(':site'),
    {
      schema: {
        tags: ['sites'],
        summary: 'What a frame says that an admin opened as a test, once for each token',
        params: SiteOfFrameSchema,
        body: SiteTestReportSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await siteTests.report(request.params.site, request.body)
      return reply.code(204).send(null)
    },
  )
}
