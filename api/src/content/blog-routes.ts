import { BLOG_CONTENT_BYTES_MAX } from '@proctorpass/shared/limits'
import {
  BlogFormSchema,
  BlogIdParamSchema,
  BlogListSchema,
  BlogPreviewSchema,
  BlogSchema,
  SavedBlogSchema,
  SlugParamSchema,
} from '@proctorpass/shared/schemas/blog'
import { DoneSchema, ListQuerySchema } from '@proctorpass/shared/schemas/list'
import { SuggestionsSchema } from '@proctorpass/shared/schemas/suggestion'
import { suggestionPaths } from '@proctorpass/shared/suggestion-paths'
import Type from 'typebox'
import { adminOf } from '../auth/authenticate.ts'
import { acceptForms, withForm } from '../http/multipart.ts'
import type { TypedApp } from '../http/validation.ts'
import type { Blogs } from './blogs.ts'
import type { ListCache } from './list-cache.ts'
import { postsToSuggest } from './suggestions.ts'

/** Serves posts to everyone. */
export function blogRoutes(
  app: TypedApp,
  { blogs, listCache }: { blogs: Blogs; listCache: ListCache },
): void {
  app.get(
    '/blogs',
    {
      schema: {
        summary: 'A page of posts, newest first',
        querystring: ListQuerySchema,
        response: { 200: BlogListSchema },
      },
    },
    async (request, reply) =>
      listCache.send(request, reply, request.query, async () => {
        const list = await blogs.list(request.query)
        return list.blogs.length === 0 ? { ...list, message: 'No blogs found!' } : list
      }),
  )

  app.get(
    suggestionPaths.posts,
    {
      schema: {
        tags: ['blogs'],
        summary: 'The posts that the chat may suggest while a visitor types, newest first',
        response: { 200: SuggestionsSchema },
      },
    },
    async (request, reply) => listCache.send(request, reply, {}, () => postsToSuggest(blogs)),
  )

  app.get(
    '/blogs/one/:slug',
    {
      schema: {
        summary: 'One post with its content',
        params: SlugParamSchema,
        response: { 200: BlogSchema },
      },
    },
    async (request, reply) => {
      const blog = await blogs.get(request.params.slug)
      reply.header('cache-control', 'no-cache')
      return blog
    },
  )
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
export async function blogAdminRoutes(app: TypedApp, { blogs }: { blogs: Blogs }): Promise<void> {
  await acceptForms(app)

  app.post(
    '/blogs',
    {
      schema: {
        summary: 'Add a post: title, summary, slug, content, the image as file, and imgAlt, its description',
        ...form,
        response: { 201: SavedBlogSchema },
      },
      validatorCompiler: takeAnyBody,
    },
    async (request, reply) => {
      const admin = adminOf(request)
      const data = await withForm(request, (form) => blogs.create(admin, form))
      request.log.info({ userId: admin.userId, blogId: data._id }, 'post added')
      reply.code(201)
      return { message: 'Post published', data }
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
      const data = await withForm(request, (form) => blogs.update(admin, request.params.id, form))
      request.log.info({ userId: admin.userId, blogId: data._id, version: data.version }, 'post changed')
      return { message: 'Post saved', data }
    },
  )
}
