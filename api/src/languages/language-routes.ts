import { LANGUAGE_FILE_BYTES_MAX } from '@proctorpass/shared/limits'
import {
  LanguageFileSchema,
  LanguageListSchema,
  LanguageParamSchema,
  SavedLanguageSchema,
} from '@proctorpass/shared/schemas/language'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import { type CachedResponse, compressText, sendCached } from '../http/cached-response.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Languages } from './languages.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** A file may be written with more white space than it is stored with. */
const BODY_BYTES_MAX = LANGUAGE_FILE_BYTES_MAX + 16 * 1_024

export function languageRoutes(app: TypedApp, { languages }: { languages: Languages }): void {
  app.get(
    '/languages',
    {
      schema: {
        summary: 'The languages of the widget, and what is wrong with their files',
        response: { 200: LanguageListSchema },
      },
    },
    (request) => languages.list(adminOf(request)),
  )

  app.get(
    '/languages/:tag',
    {
      schema: {
        summary: "A language's whole file, as a download",
        params: LanguageParamSchema,
        response: { 200: Type.Unsafe<string>({ ...LanguageFileSchema, description: 'The file' }) },
      },
      // The file is sent as it is written.
      serializerCompiler: () => (text) => String(text),
    },
    async (request, reply) => {
      const { tag } = request.params
      const file = languages.file(adminOf(request), tag)
      reply.headers({
        'cache-control': 'no-store',
        'content-disposition': `attachment; filename="${tag}.json"`,
      })
      return reply.type(JSON_TYPE).send(`${JSON.stringify(file, null, 2)}\n`)
    },
  )

  app.put(
    '/languages/:tag',
    {
      bodyLimit: BODY_BYTES_MAX,
      schema: {
        summary: "Replace a language's uploaded file; refused with a detail for each wrong key",
        params: LanguageParamSchema,
        body: LanguageFileSchema,
        response: { 200: SavedLanguageSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const data = await languages.upload(admin, request.params.tag, request.body)
      request.log.info({ userId: admin.userId, tag: data.tag }, 'language uploaded')
      return { message: 'Language saved', data }
    },
  )

  app.delete(
    '/languages/:tag',
    {
      schema: {
        summary: "Delete a language's uploaded file",
        params: LanguageParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      await languages.remove(admin, request.params.tag)
      request.log.info({ userId: admin.userId, tag: request.params.tag }, 'language deleted')
      return reply.code(204).send(null)
    },
  )
}

/** Serves the widget's words at the root, where the pages' scripts ask for them. */
export function wordRoutes(app: TypedApp, { languages }: { languages: Languages }): void {
  const compressed = new Map<string, Promise<CachedResponse>>()
  languages.onChanged(() => compressed.clear())

  app.get(
    '/words/:file',
    {
      schema: {
        summary: "The widget's words in one language",
        params: Type.Object({ file: Type.String({ maxLength: 2_048 }) }),
        querystring: Type.Object({ v: Type.Optional(Type.String({ maxLength: 2_048 })) }),
        response: { 200: Type.Unsafe<Buffer>({ ...LanguageFileSchema, description: 'The words by key' }) },
      },
    },
    async (request, reply) => {
      const [, tag = ''] = /^([^.]+)\.json$/.exec(request.params.file) ?? []
      const found = languages.widgetTexts(tag, request.query.v)
      if (found === null) return reply.callNotFound()
      const response =
        compressed.get(tag) ?? compressText(`/words/${tag}.json`, JSON_TYPE, JSON.stringify(found.texts))
      compressed.set(tag, response)
      reply.header('cache-control', found.isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache')
      return sendCached(request, reply, await response)
    },
  )
}
