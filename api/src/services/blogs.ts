import { AppError } from '@proctorpass/shared/errors'
import { PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import type { Blog, BlogList, BlogSummary } from '@proctorpass/shared/schemas/blog'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import type { BlogRecord, BlogSummaryRecord, NewBlog, Storage } from '../storage/storage.ts'
import type { AdminCaller } from './chat.ts'
import type { ContentChanges } from './content-changes.ts'

/** Posts: read by anyone, written by admins. */
export interface Blogs {
  /** Newest first. */
  list(query: ListQuery): Promise<BlogList>
  /** Throws AppError `not-found`. */
  get(slug: string): Promise<Blog>
  /** Throws AppError `conflict` when the slug is taken. */
  create(admin: AdminCaller, blog: Omit<NewBlog, 'createdAt'>): Promise<Blog>
  /** Throws AppError `not-found`. */
  remove(admin: AdminCaller, id: string): Promise<void>
}

interface BlogsDeps {
  storage: Storage
  changes: ContentChanges
  now: () => number
}

export function createBlogs({ storage, changes, now }: BlogsDeps): Blogs {
  return {
    async list({ page = 1, perPage = PER_PAGE_DEFAULT }) {
      const { items, count } = await storage.blogs.list({ page, perPage })
      return { blogs: items.map(presentSummary), count }
    },

    async get(slug) {
      const blog = await storage.blogs.findBySlug(slug)
      if (blog === null) throw notFound()
      return presentBlog(blog)
    },

    async create(_admin, { slug, title, summary, img, content }) {
      const blog = await storage.blogs.create({ slug, title, summary, img, content, createdAt: now() })
      if (blog === null) throw new AppError('conflict', 'This slug is taken: please choose another one.')
      changes.tell()
      return presentBlog(blog)
    },

    async remove(_admin, id) {
      if ((await storage.blogs.remove(id)) === null) throw notFound()
      changes.tell()
    },
  }
}

function notFound(): AppError {
  return new AppError('not-found', 'There is no such post.')
}

function presentSummary(blog: BlogSummaryRecord): BlogSummary {
  const { _id, title, slug, summary, img, createdAt, updatedAt } = blog
  return {
    _id,
    title,
    slug,
    summary,
    img,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}

function presentBlog(blog: BlogRecord): Blog {
  return { ...presentSummary(blog), content: blog.content, version: blog.version }
}
