import { BlogIdParamSchema, SavedBlogSchema } from '@proctorpass/shared/schemas/blog'
import {
  PostVersionParamSchema,
  PostVersionSchema,
  RestoreSchema,
  VersionListSchema,
} from '@proctorpass/shared/schemas/text'
import { adminOf } from '../auth/authenticate.ts'
import type { TypedApp } from '../http/validation.ts'
import type { PostVersions } from './post-versions.ts'

/** Serves posts' versions, all to admins. */
export function postVersionRoutes(app: TypedApp, { postVersions }: { postVersions: PostVersions }): void {
  app.get(
    '/blogs/:id/versions',
    {
      schema: {
        summary: "A post's kept versions, the newest first",
        params: BlogIdParamSchema,
        response: { 200: VersionListSchema },
      },
    },
    (request, reply) => {
      reply.header('cache-control', 'no-store')
      return postVersions.list(adminOf(request), request.params.id)
    },
  )

  app.get(
    '/blogs/:id/versions/:n',
    {
      schema: {
        summary: 'One version of a post',
        params: PostVersionParamSchema,
        response: { 200: PostVersionSchema },
      },
    },
    (request, reply) => {
      reply.header('cache-control', 'no-store')
      return postVersions.find(adminOf(request), request.params.id, request.params.n)
    },
  )

  app.post(
    '/blogs/:id/versions/:n/restore',
    {
      schema: {
        summary: 'Store an earlier version of a post as the next one',
        params: PostVersionParamSchema,
        body: RestoreSchema,
        response: { 200: SavedBlogSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      const { id, n } = request.params
      const data = await postVersions.restore(admin, id, n, request.body.version)
      request.log.info({ userId: admin.userId, blogId: id, version: data.version }, 'post restored')
      return { message: 'Version restored', data }
    },
  )
}
