import type { Readable } from 'node:stream'
import { IMAGE_REQUIRED } from '@proctorpass/shared/fields/post'
import { UploadedSchema } from '@proctorpass/shared/schemas/upload'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import { matchesEtag } from '../http/cached-response.ts'
import { acceptForms, withForm } from '../http/multipart.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Uploads } from './uploads.ts'
import { wrongFile } from './wrong-file.ts'

/** Forbids scripts and loads if the image is opened as a page, except for images inside an SVG. */
const SANDBOX = "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'"

/**
 * Serves uploads to everyone. The route is at the root, without API_PREFIX, because stored posts contain these URLs.
 */
export function uploadRoutes(app: TypedApp, { uploads }: { uploads: Uploads }): void {
  app.get(
    '/uploads/:name',
    {
      schema: {
        summary: 'An image; the content of an address never changes',
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
      if (matchesEtag(request.headers['if-none-match'], etag)) {
        stream.destroy()
        return reply.code(304).send()
      }
      reply.type(type).header('content-length', file.size)
      // Closes the file when the client disconnects.
      reply.raw.once('close', () => stream.destroy())
      return reply.send(stream)
    },
  )
}

/** Serves admins who upload, in a scope of its own that accepts multipart forms. */
export async function uploadAdminRoutes(app: TypedApp, { uploads }: { uploads: Uploads }): Promise<void> {
  await acceptForms(app)

  app.post(
    '/uploads',
    {
      schema: {
        summary: 'Store an image for a post, sent as file',
        consumes: ['multipart/form-data'],
        body: Type.Object({ file: Type.String({ format: 'binary' }) }),
        response: { 201: UploadedSchema },
      },
      // The form is validated by withForm while it is read.
      validatorCompiler: () => (value: unknown) => ({ value }),
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const data = await withForm(request, async ({ file }) => {
        if (file === null) throw wrongFile(IMAGE_REQUIRED)
        return uploads.store(file.bytes, { name: file.name, type: file.type })
      })
      request.log.info({ userId: admin.userId, url: data.url }, 'image uploaded')
      reply.code(201)
      return { message: 'Image uploaded', data }
    },
  )
}
