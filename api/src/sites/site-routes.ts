import {
  NewSecretSchema,
  NewSiteSchema,
  SavedSiteSchema,
  SecretParamSchema,
  SiteChangeSchema,
  SiteListSchema,
  SiteParamSchema,
  SiteTestParamSchema,
  SiteTestSchema,
  SiteTestTokenSchema,
} from '@proctorpass/shared/schemas/site'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { SiteTests } from './site-tests.ts'
import type { Sites } from './sites.ts'

/** A greeting of the greatest length in each of the greatest number of languages, with four bytes for each character. */
const BODY_BYTES_MAX = 256 * 1_024

/** Serves the websites on which the widget runs, all to admins. */
export function siteRoutes(
  app: TypedApp,
  { sites, siteTests }: { sites: Sites; siteTests: SiteTests },
): void {
  app.get(
    '/sites',
    {
      schema: {
        summary: 'All websites on which the widget runs, in order of creation',
        response: { 200: SiteListSchema },
      },
    },
    (request) => sites.list(adminOf(request)),
  )

  app.post(
    '/sites',
    {
      bodyLimit: BODY_BYTES_MAX,
      schema: { summary: 'Add a website', body: NewSiteSchema, response: { 201: SavedSiteSchema } },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const data = await sites.create(admin, request.body)
      request.log.info({ userId: admin.userId, siteId: data._id }, 'site added')
      reply.code(201)
      return { message: 'Website saved', data }
    },
  )

  app.patch(
    '/sites/:id',
    {
      bodyLimit: BODY_BYTES_MAX,
      schema: {
        summary: 'Change a website; refused with 409 when the stored version is not the given one',
        params: SiteParamSchema,
        body: SiteChangeSchema,
        response: { 200: SavedSiteSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const data = await sites.update(admin, request.params.id, request.body)
      request.log.info({ userId: admin.userId, siteId: data._id, version: data.version }, 'site changed')
      return { message: 'Website saved', data }
    },
  )

  app.delete(
    '/sites/:id',
    {
      schema: {
        summary: 'Delete a website for good; its conversations stay',
        params: SiteParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      await sites.remove(admin, request.params.id)
      request.log.info({ userId: admin.userId, siteId: request.params.id }, 'site deleted')
      return reply.code(204).send(null)
    },
  )

  secretRoutes(app, { sites })
  testRoutes(app, { siteTests })
}

function testRoutes(app: TypedApp, { siteTests }: { siteTests: SiteTests }): void {
  app.post(
    '/sites/:id/test',
    {
      schema: {
        summary: 'Begin a test of a website: open one of its pages with the token in the fragment',
        params: SiteParamSchema,
        response: { 201: SiteTestTokenSchema },
      },
    },
    async (request, reply) => {
      reply.code(201)
      return { token: await siteTests.begin(adminOf(request), request.params.id) }
    },
  )

  app.get(
    '/sites/:id/test/:token',
    {
      schema: {
        summary: 'What happened in a test of a website by now',
        params: SiteTestParamSchema,
        response: { 200: SiteTestSchema },
      },
    },
    async (request) => siteTests.find(adminOf(request), request.params.id, request.params.token),
  )
}

function secretRoutes(app: TypedApp, { sites }: { sites: Sites }): void {
  app.post(
    '/sites/:id/secrets',
    {
      schema: {
        summary: 'Add a secret that signs visitors of a website; this answer alone shows it',
        params: SiteParamSchema,
        response: { 201: NewSecretSchema },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const secret = await sites.addSecret(admin, request.params.id)
      const { userId } = admin
      request.log.info({ userId, siteId: request.params.id, secretId: secret._id }, 'site secret added')
      reply.code(201)
      return secret
    },
  )

  app.delete(
    '/sites/:id/secrets/:secretId',
    {
      schema: {
        summary: 'Delete a secret of a website: what it signed is refused from then on',
        params: SecretParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const { id, secretId } = request.params
      await sites.removeSecret(admin, id, secretId)
      request.log.info({ userId: admin.userId, siteId: id, secretId }, 'site secret deleted')
      return reply.code(204).send(null)
    },
  )
}
