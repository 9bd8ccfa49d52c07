import { fieldError } from '@proctorpass/shared/errors'
import { IMAGE_REQUIRED } from '@proctorpass/shared/fields/post'
import { FaceSchema } from '@proctorpass/shared/schemas/account'
import Type from 'typebox'
import { acceptForms, withForm } from '../http/multipart.ts'
import type { TypedApp } from '../http/validation.ts'
import { adminOf } from './authenticate.ts'
import type { Faces } from './faces.ts'

/** Serves an admin's own picture, in a scope of its own that accepts multipart forms. */
export async function faceRoutes(app: TypedApp, { faces }: { faces: Faces }): Promise<void> {
  await acceptForms(app)

  app.put(
    '/account/face',
    {
      schema: {
        summary:
          'Replace your picture with a JPG, PNG, or WebP image, sent as file; only its center square is kept',
        consumes: ['multipart/form-data'],
        body: Type.Object({ file: Type.String({ format: 'binary' }) }),
        response: { 200: FaceSchema },
      },
      // The form is validated by withForm while it is read.
      validatorCompiler: () => (value: unknown) => ({ value }),
    },
    async (request) => {
      const admin = adminOf(request)
      const face = await withForm(request, async ({ file }) => {
        if (file === null) throw fieldError('file', IMAGE_REQUIRED)
        return faces.replace(admin, file)
      })
      request.log.info({ userId: admin.userId, url: face }, 'picture changed')
      return { face }
    },
  )

  app.delete(
    '/account/face',
    { schema: { summary: 'Remove your picture', response: { 200: FaceSchema } } },
    async (request) => {
      const admin = adminOf(request)
      await faces.remove(admin)
      request.log.info({ userId: admin.userId }, 'picture removed')
      return { face: null }
    },
  )
}
