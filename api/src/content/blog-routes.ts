import { BLOG_CONTENT_BYTES_MAX } from '@proctorpass/shared/limits'
import {
  type Blog,
  BlogFormSchema,
  BlogIdParamSchema,
  type BlogList,
  BlogListQuerySchema,
  BlogListSchema,
  BlogPreviewSchema,
  BlogSchema,
  BlogStateQuerySchema,
  PreviewLinkSchema,
  PreviewTokenParamSchema,
  SavedBlogSchema,
  SlugParamSchema,
} from '@proctorpass/shared/schemas/blog'
import { DoneSchema } from '@proctorpass/shared/schemas/list'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import { acceptForms, withForm } from '../http/multipart.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Blogs } from './blogs.ts'
import type { ListCache } from './list-cache.ts'
import { statesIn } from './post-fields.ts'
import type { PreviewLinks } from './preview-links.ts'

interface RouteDeps {
  blogs: Blogs
  previewLinks: PreviewLinks
  listCache: ListCache
}

/** Serves posts to everyone, and drafts and scheduled posts to admins who ask for a state. */
export function blogRoutes(app: TypedApp, { blogs, previewLinks, listCache }: RouteDeps): void {
  app.get(
    '/blogs',
    {
      schema: {
        summary:
          'A page of published posts, the latest first; with state, for admins, of posts in these states',
        security: FOR_ADMINS_TOO,
        querystring: BlogListQuerySchema,
        response: { 200: BlogListSchema },
      },
    },
    async (request, reply) => {
      const { state, ...query } = request.query
      if (state === undefined) {
        return listCache.send(request, reply, query, async () => withMessage(await blogs.list(query)))
      }
      reply.header('cache-control', 'no-store')
      return withMessage(await blogs.listOf(adminOf(request), query, statesIn(state)))
    },
  )

  app.get(
    '/blogs/one/:slug',
    {
      schema: {
        summary: 'One published post with its content; with state, for admins, a post in one of these states',
        security: FOR_ADMINS_TOO,
        params: SlugParamSchema,
        querystring: BlogStateQuerySchema,
        response: { 200: BlogSchema },
      },
    },
    async (request, reply) => {
      const { slug } = request.params
      const { state } = request.query
      if (state === undefined) {
        const blog = await blogs.get(slug)
        reply.header('cache-control', 'no-cache')
        return blog
      }
      reply.header('cache-control', 'no-store')
      return blogs.getOf(adminOf(request), slug, statesIn(state))
    },
  )

  app.get(
    '/blogs/preview/:token',
    {
      schema: {
        summary: 'A post in any state, with the token of its preview link',
        params: PreviewTokenParamSchema,
        response: { 200: BlogSchema },
      },
    },
    async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex' })
      return previewLinks.read(request.params.token, request.ip)
    },
  )
}

const FOR_ADMINS_TOO: readonly Record<string, readonly string[]>[] = [{}, { accessToken: [] }]

function withMessage(list: BlogList): BlogList {
  return list.blogs.length === 0 ? { ...list, message: 'No blogs found!' } : list
}

/** Returns what an admin reads after saving a post. */
function savedMessage({ state }: Blog, sent: string | undefined): string {
  if (state === 'draft') return 'Draft saved'
  if (sent === undefined) return 'Post saved'
  return state === 'scheduled' ? 'Post scheduled' : 'Post published'
}

/** Describes a form with an image for OpenAPI. The use case validates the form's fields. */
const form = {
  consumes: ['multipart/form-data'],
  body: Type.Object({
    ...BlogFormSchema.properties,
    file: Type.Optional(Type.String({ format: 'binary' })),
  }),
}
const takeAnyBody = () => (value: unknown) => ({ value })

/** Serves admins who write posts, in a scope of its own that accepts multipart forms. */
export async function blogAdminRoutes(
  app: TypedApp,
  { blogs, previewLinks }: Omit<RouteDeps, 'listCache'>,
): Promise<void> {
  await acceptForms(app)

  app.post(
    '/blogs',
    {
      schema: {
        summary: 'Add a post: title, summary, slug, content, the image as file, imgAlt, state, and publishAt',
        ...form,
        response: { 201: SavedBlogSchema },
      },
      validatorCompiler: takeAnyBody,
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const data = await withForm(request, (form) => blogs.create(admin, form))
      request.log.info({ userId: admin.userId, blogId: data._id, state: data.state }, 'post added')
      reply.code(201)
      return { message: savedMessage(data, data.state), data }
    },
  )

  app.get(
    '/blogs/id/:id',
    {
      schema: {
        summary: 'One post by its id, for example after a version conflict',
        params: BlogIdParamSchema,
        response: { 200: BlogSchema },
      },
    },
    (request, reply) => {
      reply.header('cache-control', 'no-store')
      return blogs.getById(adminOf(request), request.params.id)
    },
  )

  app.post(
    '/blogs/preview',
    {
      // JSON escapes can double the length of a text.
      bodyLimit: 2 * BLOG_CONTENT_BYTES_MAX + 1_024,
      schema: {
        summary: "A post's content as it would be stored; stores nothing",
        body: BlogPreviewSchema,
        response: { 200: BlogPreviewSchema },
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      return { content: await blogs.preview(adminOf(request), request.body.content) }
    },
  )

  app.delete(
    '/blogs/:id',
    {
      schema: {
        summary: 'Delete a post permanently',
        params: BlogIdParamSchema,
        response: { 200: DoneSchema },
      },
    },
    async (request) => {
      const admin = adminOf(request)
      await blogs.remove(admin, request.params.id)
      request.log.info({ userId: admin.userId, blogId: request.params.id }, 'post deleted')
      return { message: 'Post deleted' }
    },
  )

  app.patch(
    '/blogs/:id',
    {
      schema: {
        summary: 'Change any part of a post; refused with 409 when the stored version is not the given one',
        params: BlogIdParamSchema,
        ...form,
        response: { 200: SavedBlogSchema },
      },
      validatorCompiler: takeAnyBody,
    },
    async (request) => {
      const admin = adminOf(request)
      return withForm(request, async (form) => {
        const data = await blogs.update(admin, request.params.id, form)
        const { _id: blogId, version, state } = data
        request.log.info({ userId: admin.userId, blogId, version, state }, 'post changed')
        return { message: savedMessage(data, form.fields.state), data }
      })
    },
  )

  app.post(
    '/blogs/:id/preview-link',
    {
      schema: {
        summary: 'Make a link with which anyone reads the post for seven days; ends an earlier link',
        params: BlogIdParamSchema,
        response: { 201: PreviewLinkSchema },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const link = await previewLinks.create(admin, request.params.id)
      request.log.info({ userId: admin.userId, blogId: request.params.id }, 'preview link made')
      reply.code(201).header('cache-control', 'no-store')
      return link
    },
  )

  app.delete(
    '/blogs/:id/preview-link',
    {
      schema: {
        summary: "End the post's preview link",
        params: BlogIdParamSchema,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const admin = adminOf(request)
      await previewLinks.remove(admin, request.params.id)
      request.log.info({ userId: admin.userId, blogId: request.params.id }, 'preview link ended')
      return reply.code(204).send(null)
    },
  )
}
