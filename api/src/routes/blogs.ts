import { BlogListSchema, BlogSchema, SlugParamSchema } from '@proctorpass/shared/schemas/blog'
import { ListQuerySchema } from '@proctorpass/shared/schemas/list'
import type { TypedApp } from '../plugins/validation.ts'
import type { Blogs } from '../services/blogs.ts'

const errors = { '4xx': { $ref: 'Error#' }, '5xx': { $ref: 'Error#' } }

/** Posts as the public reads them. */
export function blogRoutes(app: TypedApp, { blogs }: { blogs: Blogs }): void {
  app.get(
    '/blogs',
    {
      schema: {
        tags: ['blogs'],
        summary: 'A page of posts, newest first',
        querystring: ListQuerySchema,
        response: { 200: BlogListSchema, ...errors },
      },
    },
    async (request, reply) => {
      const list = await blogs.list(request.query)
      reply.header('cache-control', 'no-cache')
      return list.blogs.length === 0 ? { ...list, message: 'No blogs found!' } : list
    },
  )

  app.get(
    '/blogs/one/:slug',
    {
      schema: {
        tags: ['blogs'],
        summary: 'One post with its content',
        params: SlugParamSchema,
        response: { 200: BlogSchema, ...errors },
      },
    },
    async (request, reply) => {
      const blog = await blogs.get(request.params.slug)
      reply.header('cache-control', 'no-cache')
      return blog
    },
  )
}
