import { AppError, type ErrorDetail, fieldError, fieldErrors } from '@proctorpass/shared/errors'
import {
  ARTICLE_SLUGS,
  BLOG_CONTENT_BYTES_MAX,
  BLOG_SUMMARY_MAX,
  BLOG_TITLE_MAX,
  PER_PAGE_DEFAULT,
  SLUG_MAX,
  SLUG_PATTERN,
} from '@proctorpass/shared/limits'
import type { Blog, BlogForm, BlogList, BlogSummary } from '@proctorpass/shared/schemas/blog'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import { lineProblem } from '@proctorpass/shared/text-rules'
import type { AdminCaller } from '../auth/caller.ts'
import type { BlogRecord, BlogSummaryRecord, Storage } from '../storage/storage.ts'
import { type Uploads, uploadUrlsIn } from '../uploads/uploads.ts'
import type { ContentRevision } from './content-revision.ts'
import { isEmptyPost, sanitisePostHtml } from './post-html.ts'

const SLUG = new RegExp(SLUG_PATTERN)

/** A post's form as it was sent: nothing in it has been checked. */
export interface SentBlog {
  fields: BlogForm
  /** What the sender says of the image, and its bytes. Null when none was chosen. */
  file: { name: string; type: string; bytes: Buffer } | null
}

/** Posts: read by anyone, written by admins. */
export interface Blogs {
  /** Newest first. */
  list(query: ListQuery): Promise<BlogList>
  /** Throws AppError `not-found`. */
  get(slug: string): Promise<Blog>
  /** As `get`, under whatever slug the post stands by now. */
  getById(admin: AdminCaller, id: string): Promise<Blog>
  /** What would be stored and shown of a post's content. Throws AppError `too-large`. */
  preview(admin: AdminCaller, content: string): string
  /**
   * Throws AppError `invalid-input` with a detail for each wrong field, `conflict` with one for `slug` when it is
   * taken, and what `uploads.store` throws for the image. Then neither a row nor a file is left.
   */
  create(admin: AdminCaller, sent: SentBlog): Promise<Blog>
  /**
   * Changes what was sent and leaves the rest. Throws as `create` does, and AppError `not-found`, and `conflict` with
   * a detail for `version` when the post is not the one any more that was edited.
   */
  update(admin: AdminCaller, id: string, sent: SentBlog): Promise<Blog>
  /** Final. Throws AppError `not-found`. */
  remove(admin: AdminCaller, id: string): Promise<void>
}

interface BlogsDeps {
  storage: Storage
  uploads: Uploads
  contentRevision: ContentRevision
  /** Of the site's own address. */
  ownOrigin: string
  now: () => number
}

export function createBlogs({ storage, uploads, contentRevision, ownOrigin, now }: BlogsDeps): Blogs {
  const sanitise = (html: string) => sanitisePostHtml(html, ownOrigin)
  const presentBlog = (blog: BlogRecord): Blog => ({
    ...presentSummary(blog),
    content: sanitise(blog.content),
    version: blog.version,
  })

  /** Runs `save` with the address of the stored image, and takes that image away again when nothing came of it. */
  async function withImage<T>(
    file: SentBlog['file'],
    save: (img: string | undefined) => Promise<T>,
  ): Promise<T> {
    if (file === null) return save(undefined)
    const { url } = await uploads.store(file.bytes, { name: file.name, type: file.type })
    try {
      return await save(url)
    } catch (error) {
      await release([url])
      throw error
    }
  }

  /** What cannot be removed now is found by the sweep: the change itself is done. */
  async function release(urls: string[]): Promise<void> {
    await uploads.release(urls).catch(() => {})
  }

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

    async getById(_admin, id) {
      const blog = await storage.blogs.findById(id)
      if (blog === null) throw notFound()
      return presentBlog(blog)
    },

    preview: (_admin, content) => sanitise(content),

    async create(_admin, { fields, file }) {
      const { title, summary, slug, content } = checked({
        fields: { title: '', summary: '', slug: '', content: '', ...fields },
        lacksImage: file === null,
        sanitise,
      })
      // Before the work that an image is; the store judges again.
      if ((await storage.blogs.findBySlug(slug)) !== null) throw slugTaken()
      const blog = await withImage(file, async (img = '') => {
        const stored = await storage.blogs.create({ slug, title, summary, img, content, createdAt: now() })
        if (stored === null) throw slugTaken()
        return stored
      })
      await contentRevision.changed()
      return presentBlog(blog)
    },

    async update(_admin, id, { fields, file }) {
      const { version, ...change } = checked({ fields, lacksImage: false, sanitise })
      if (file === null && Object.values(change).every((value) => value === undefined)) {
        throw new AppError('invalid-input', 'There is nothing to change.')
      }
      const { blog, before } = await withImage(file, async (img) => {
        const updated = await storage.blogs.update(id, { ...change, img, at: now() }, version)
        if (updated.outcome === 'stored') return updated
        if (updated.outcome === 'missing') throw notFound()
        throw updated.outcome === 'slug-taken' ? slugTaken() : changedMeanwhile()
      })
      await contentRevision.changed()
      const shown = uploadsOf(blog)
      await release(uploadsOf(before).filter((url) => !shown.includes(url)))
      return presentBlog(blog)
    },

    async remove(_admin, id) {
      const removed = await storage.blogs.remove(id)
      if (removed === null) throw notFound()
      await contentRevision.changed()
      await release(uploadsOf(removed))
    },
  }
}

interface CheckedFields<T> {
  title: T
  summary: T
  slug: T
  /** Sanitised. */
  content: T
  version: number | undefined
}

interface Checking {
  fields: BlogForm
  lacksImage: boolean
  sanitise: (html: string) => string
}

/** The fields as they are stored; what was not sent stays undefined. Throws with a detail for each that is wrong. */
function checked(sent: Checking & { fields: Required<Omit<BlogForm, 'version'>> }): CheckedFields<string>
function checked(sent: Checking): CheckedFields<string | undefined>
function checked({ fields, lacksImage, sanitise }: Checking): CheckedFields<string | undefined> {
  const details: ErrorDetail[] = []
  const wrong = (field: string, message: string | null) => {
    if (message !== null) details.push({ field, message })
  }

  const title = fields.title?.trim()
  if (title === '') wrong('title', 'Title is required')
  else if (title !== undefined) wrong('title', lineProblem(title, BLOG_TITLE_MAX))

  // Written in a box of several lines, shown as one paragraph.
  const summary = fields.summary?.trim().replace(/\s+/g, ' ')
  if (summary === '') wrong('summary', 'Summary is required')
  else if (summary !== undefined) wrong('summary', lineProblem(summary, BLOG_SUMMARY_MAX))

  const slug = fields.slug?.trim()
  if (slug === '') wrong('slug', 'Blog slug is required')
  else if (slug !== undefined) wrong('slug', slugProblem(slug))

  let content: string | undefined
  if (fields.content !== undefined) {
    if (Buffer.byteLength(fields.content) > BLOG_CONTENT_BYTES_MAX) wrong('content', 'This is too long.')
    else {
      content = sanitise(fields.content)
      if (isEmptyPost(content)) wrong('content', 'Content is required!')
    }
  }

  if (lacksImage) wrong('file', 'Please upload image!')

  if (fields.version !== undefined && !/^[1-9]\d{0,8}$/.test(fields.version)) {
    wrong('version', 'This is no version of a post.')
  }

  if (details.length > 0) throw fieldErrors(details)
  if (slug !== undefined && (ARTICLE_SLUGS as readonly string[]).includes(slug)) throw slugTaken()
  return {
    title,
    summary,
    slug,
    content,
    version: fields.version === undefined ? undefined : Number(fields.version),
  }
}

function slugProblem(slug: string): string | null {
  // The length first: nothing that is longer is tried against the pattern.
  if (slug.length > SLUG_MAX) return `At most ${SLUG_MAX} characters can be sent.`
  return SLUG.test(slug) ? null : 'Wrong format! Only use lower case and separate words with hyphen'
}

function uploadsOf({ img, content }: BlogRecord): string[] {
  return uploadUrlsIn(`${img} ${content}`)
}

function notFound(): AppError {
  return new AppError('not-found', 'There is no such post.')
}

function slugTaken(): AppError {
  return fieldError('slug', 'This slug is taken: please choose another one.', { code: 'conflict' })
}

function changedMeanwhile(): AppError {
  const message =
    'This post was changed meanwhile. Nothing of yours was saved yet: look at both versions first.'
  return fieldError('version', message, { code: 'conflict' })
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

/** Sanitised again: what was stored by an older release is held to the rules of this one. */
