import type { Readable } from 'node:stream'
import { IMAGE_REQUIRED } from '@proctorpass/shared/fields/post'
import { UploadedSchema } from '@proctorpass/shared/schemas/upload'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import { acceptForms, withForm } from '../http/multipart.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Uploads } from './uploads.ts'
import { wrongFile } from './wrong-file.ts'

const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }

/** For whoever opens a picture as a page: it may draw, and do nothing else. */
const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

/** Pictures as anyone sees them. They stand at the root: their addresses are in stored posts. */
export function uploadRoutes(app: TypedApp, { uploads }: { uploads: Uploads }): void {
  app.get(
    '/uploads/:name',
    {
      schema: {
        tags: ['uploads'],
        summary: 'A picture; what an address answers never changes',
        params: Type.Object({ name: Type.String({ maxLength: 2_048 }) }),
        response: {
          200: Type.Unsafe<Readable>({ type: 'string', format: 'binary', description: 'The file' }),
          '4xx': { $ref: 'Error#' },
        },
      },
    },
    async (request, reply) => {
      const { name } = request.params
      const found = await uploads.open(name)
      if (found === null) return reply.callNotFound()
      const { file, stream, type } = found
      const etag = `"${name}"`
      reply.headers({
        etag,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-security-policy': SANDBOX,
        'content-disposition': `inline; filename="picture.${name.split('.')[1]}"`,
      })
      if (isKnown(request, etag)) {
        stream.destroy()
        return reply.code(304).send()
      }
      reply.type(type).header('content-length', file.size)
      // A reader who leaves midway leaves no file open.
      reply.raw.once('close', () => stream.destroy())
      return reply.send(stream)
    },
  )
}

/** Pictures as they are put into a post: alone in a scope that takes forms with files. */
export async function uploadAdminRoutes(app: TypedApp, { uploads }: { uploads: Uploads }): Promise<void> {
  await acceptForms(app)

  app.post(
    '/uploads',
    {
      schema: {
        tags: ['uploads'],
        summary: 'Keep a picture for a post, sent as file',
        security: [{ accessToken: [] }],
        consumes: ['multipart/form-data'],
        body: Type.Object({ file: Type.String({ format: 'binary' }) }),
        response: { 201: UploadedSchema, ...errors },
      },
      // The form is judged as it is read.
      validatorCompiler: () => (value: unknown) => ({ value }),
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const data = await withForm(request, async ({ file }) => {
        if (file === null) throw wrongFile(IMAGE_REQUIRED)
        return uploads.store(file.bytes, { name: file.name, type: file.type })
      })
      request.log.info({ userId: admin.userId, url: data.url }, 'picture uploaded')
      reply.code(201)
      return { message: 'The picture is uploaded.', data }
    },
  )
}

function isKnown(request: FastifyRequest, etag: string): boolean {
  const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim())
  return known.includes('*') || known.includes(etag) || known.includes(`W/${etag}`)
}
