import { BLOG_CONTENT_BYTES_MAX, BODY_BYTES_MAX } from '@proctorpass/shared/limits'
import {
  LangQuerySchema,
  ResetQuerySchema,
  RestoreSchema,
  SavedTextSchema,
  TextChangeSchema,
  TextKeyParamSchema,
  TextListSchema,
  TextSchema,
  TextVersionParamSchema,
  TextVersionSchema,
  VersionListSchema,
} from '@proctorpass/shared/schemas/text'
import type { FastifyRequest } from 'fastify'
import { adminOf } from '../auth/authenticate.ts'
import { ENGLISH } from '../content/languages.ts'
import type { ListCache } from '../content/list-cache.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Texts } from './texts.ts'

/** JSON escapes can double the length of a text. */
export const TEXT_BODY_MAX = 2 * BLOG_CONTENT_BYTES_MAX + BODY_BYTES_MAX

/** Returns the canonical address of an answer in a language that is shown. */
export function addressIn(request: FastifyRequest, lang: string): string {
  const [path = ''] = request.url.split('?')
  return lang === ENGLISH ? path : `${path}?lang=${lang}`
}

/** Serves the pages' texts to everyone, and their changes and versions to admins. */
export function textRoutes(
  app: TypedApp,
  { texts, listCache }: { texts: Texts; listCache: ListCache },
): void {
  app.get(
    '/texts',
    {
      schema: {
        summary: 'All texts in English, and in other languages where they are written',
        response: { 200: TextListSchema },
      },
    },
    (request, reply) => {
      reply.header('cache-control', 'no-store')
      return texts.list(adminOf(request))
    },
  )

  app.get(
    '/texts/:key',
    {
      schema: {
        summary: 'One text, in English where it is not translated',
        params: TextKeyParamSchema,
        querystring: LangQuerySchema,
        response: { 200: TextSchema },
      },
    },
    async (request, reply) => {
      const lang = await texts.shownLanguage(request.query.lang)
      return listCache.sendAs(request, reply, addressIn(request, lang), () =>
        texts.read(request.params.key, lang),
      )
    },
  )

  app.put(
    '/texts/:key',
    {
      bodyLimit: TEXT_BODY_MAX,
      schema: {
        summary:
          'Change a text, with all its fields; refused with 409 when the stored version is not the given one',
        params: TextKeyParamSchema,
        querystring: LangQuerySchema,
        body: TextChangeSchema,
        response: { 200: SavedTextSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const data = await texts.write(admin, request.params.key, request.body, request.query.lang)
      logChange(request, data, 'text changed')
      return { message: 'Text saved', data }
    },
  )

  app.delete(
    '/texts/:key',
    {
      schema: {
        summary: 'Go back to the shipped text, or remove a translation',
        params: TextKeyParamSchema,
        querystring: ResetQuerySchema,
        response: { 200: SavedTextSchema },
      },
    },
    async (request) => {
      const { lang = ENGLISH, version } = request.query
      const data = await texts.reset(adminOf(request), request.params.key, version, lang)
      logChange(request, data, 'text reset')
      return { message: lang === ENGLISH ? 'Back to the shipped text' : 'Translation removed', data }
    },
  )

  app.get(
    '/texts/:key/versions',
    {
      schema: {
        summary: "A text's kept versions, the newest first",
        params: TextKeyParamSchema,
        querystring: LangQuerySchema,
        response: { 200: VersionListSchema },
      },
    },
    (request, reply) => {
      reply.header('cache-control', 'no-store')
      return texts.versions(adminOf(request), request.params.key, request.query.lang)
    },
  )

  app.get(
    '/texts/:key/versions/:n',
    {
      schema: {
        summary: 'One version of a text; version 0 is the text that ships now',
        params: TextVersionParamSchema,
        querystring: LangQuerySchema,
        response: { 200: TextVersionSchema },
      },
    },
    (request, reply) => {
      reply.header('cache-control', 'no-store')
      const { key, n } = request.params
      return texts.version(adminOf(request), key, n, request.query.lang)
    },
  )

  app.post(
    '/texts/:key/versions/:n/restore',
    {
      schema: {
        summary: 'Store an earlier version of a text as the next one',
        params: TextVersionParamSchema,
        querystring: LangQuerySchema,
        body: RestoreSchema,
        response: { 200: SavedTextSchema },
      },
    },
    async (request) => {
      const { key, n } = request.params
      const which = { ...request.body, lang: request.query.lang }
      const data = await texts.restore(adminOf(request), key, n, which)
      logChange(request, data, 'text restored')
      return { message: 'Version restored', data }
    },
  )
}

function logChange(request: FastifyRequest, text: { key: string; version: number }, message: string): void {
  const { userId } = adminOf(request)
  request.log.info({ userId, key: text.key, version: text.version }, message)
}
