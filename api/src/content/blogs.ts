import { AppError, changedMeanwhile, type ErrorDetail, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import {
  CONTENT_REQUIRED,
  IMAGE_ALT,
  IMAGE_REQUIRED,
  POST_CONTENT,
  POST_FIELDS,
} from '@proctorpass/shared/fields/post'
import { ARTICLE_SLUGS, PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import type { Blog, BlogForm, BlogList, BlogSummary, WrittenBlog } from '@proctorpass/shared/schemas/blog'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { BlogRecord, BlogSummaryRecord } from '../storage/model/blogs.ts'
import type { Storage } from '../storage/model/storage.ts'
import { type Uploads, uploadUrlsIn } from '../uploads/uploads.ts'
import { createPostCleaner, type PostCleaner } from './clean-post.ts'
import type { ContentRevision } from './content-revision.ts'

/** A post's form as the client sent it, unchecked. */
export interface SentBlog {
  fields: BlogForm
  /** Null if no image was chosen. `name` and `type` come from the client. */
  file: { name: string; type: string; bytes: Buffer } | null
}

interface BlogsDeps {
  storage: Storage
  uploads: Uploads
  contentRevision: ContentRevision
  /** The origin of PUBLIC_URL. */
  ownOrigin: string
  now: () => number
}

/** The use cases for posts: everyone reads, admins write. */
export function createBlogs({ storage, uploads, contentRevision, ownOrigin, now }: BlogsDeps) {
  const clean = createPostCleaner(ownOrigin)

  // The content is sanitized again, because an older release may have stored it under weaker rules.
  const presentBlog = async (blog: BlogRecord): Promise<Blog> => ({
    ...presentSummary(blog),
    content: (await clean(blog.content)).html,
    version: blog.version,
  })

  /** Stores the image and calls `save` with its URL. Removes the image again if `save` fails. */
  async function withImage<T>(
    file: SentBlog['file'],
    save: (img: string | undefined) => Promise<T>,
  ): Promise<{ saved: T; cleaned?: string[] | undefined }> {
    if (file === null) return { saved: await save(undefined) }
    const { url, cleaned } = await uploads.store(file.bytes, { name: file.name, type: file.type })
    try {
      return { saved: await save(url), cleaned }
    } catch (error) {
      await release([url])
      throw error
    }
  }

  /** Ignores errors, because the change itself is done, and the sweep removes unused uploads later. */
  async function release(urls: string[]): Promise<void> {
    await uploads.release(urls).catch(() => {})
  }

  return {
    /** Returns a page of posts, newest first. */
    async list({ page = 1, perPage = PER_PAGE_DEFAULT }: ListQuery): Promise<BlogList> {
      const { items, count } = await storage.blogs.list({ page, perPage })
      return { blogs: items.map(presentSummary), count }
    },

    /** Throws an AppError `not-found` for an unknown slug. */
    async get(slug: string): Promise<Blog> {
      const blog = await storage.blogs.findBySlug(slug)
      if (blog === null) throw notFound()
      return presentBlog(blog)
    },

    exists: async (slug: string): Promise<boolean> => (await storage.blogs.findBySlug(slug)) !== null,

    /** Returns what `get` does, but finds the post by its ID, so that a changed slug does not matter. */
    async getById(_admin: AdminCaller, id: string): Promise<Blog> {
      const blog = await storage.blogs.findById(id)
      if (blog === null) throw notFound()
      return presentBlog(blog)
    },

    /** Returns the content as it would be stored. Throws an AppError `invalid-input` or `too-large`. */
    async preview(_admin: AdminCaller, content: string): Promise<string> {
      const problem = content === '' ? null : POST_CONTENT.problem(content)
      if (problem !== null) throw fieldError('content', problem)
      return (await clean(content)).html
    },

    /**
     * Throws an AppError `invalid-input` with a detail for each wrong field, `conflict` with a detail for a taken
     * `slug`, and the errors of `uploads.store`. After an error, neither a row nor a file remains.
     */
    async create(_admin: AdminCaller, { fields, file }: SentBlog): Promise<WrittenBlog> {
      const {
        title,
        summary,
        slug,
        content,
        imgAlt = null,
      } = await checked({
        fields: { title: '', summary: '', slug: '', content: '', ...fields },
        lacksImage: file === null,
        clean,
      })
      // The slug is checked early to spare the work on the image; the store checks it again.
      if ((await storage.blogs.findBySlug(slug)) !== null) throw slugTaken()
      const { saved, cleaned } = await withImage(file, async (img = '') => {
        const stored = await storage.blogs.create({
          slug,
          title,
          summary,
          img,
          imgAlt,
          content,
          createdAt: now(),
        })
        if (stored === null) throw slugTaken()
        return stored
      })
      await contentRevision.changed()
      return { ...(await presentBlog(saved)), ...(cleaned && { cleaned }) }
    },

    /**
     * Changes the fields that were sent. Throws as `create` does, and an AppError `not-found`, or `conflict` with a
     * detail for `version` if the post changed since that version.
     */
    async update(_admin: AdminCaller, id: string, { fields, file }: SentBlog): Promise<WrittenBlog> {
      const { version, ...change } = await checked({ fields, lacksImage: false, clean })
      if (file === null && Object.values(change).every((value) => value === undefined)) {
        throw new AppError('invalid-input', 'There are no changes to save.')
      }
      const { saved, cleaned } = await withImage(file, async (img) => {
        // The old image's description does not describe a new image.
        const imgAlt = img === undefined ? change.imgAlt : (change.imgAlt ?? null)
        const updated = await storage.blogs.update(id, { ...change, img, imgAlt, at: now() }, version)
        if (updated.outcome === 'stored') return updated
        if (updated.outcome === 'missing') throw notFound()
        throw updated.outcome === 'slug-taken' ? slugTaken() : changedMeanwhile('this post')
      })
      await contentRevision.changed()
      const shown = uploadsOf(saved.blog)
      await release(uploadsOf(saved.before).filter((url) => !shown.includes(url)))
      return { ...(await presentBlog(saved.blog)), ...(cleaned && { cleaned }) }
    },

    /** Deletes a post for good. Throws an AppError `not-found` for an unknown one. */
    async remove(admin: AdminCaller, id: string): Promise<void> {
      const title = (await storage.blogs.findById(id))?.title
      const entry = auditEntry(admin, 'post.deleted', { target: id, details: { title } })
      const removed = await withEntry(entry, () => storage.blogs.remove(id))
      if (removed === null) throw notFound()
      await contentRevision.changed()
      await release(uploadsOf(removed))
    },
  }
}

export type Blogs = ReturnType<typeof createBlogs>

interface CheckedFields<T> {
  title: T
  summary: T
  slug: T
  /** The sanitized content. */
  content: T
  imgAlt: string | undefined
  version: number | undefined
}

interface Checking {
  fields: BlogForm
  lacksImage: boolean
  clean: PostCleaner
}

/**
 * Returns the fields as they are stored; fields that were not sent stay undefined. Throws with a detail for each wrong
 * one.
 */
function checked(
  sent: Checking & { fields: Required<Omit<BlogForm, 'imgAlt' | 'version'>> },
): Promise<CheckedFields<string>>
function checked(sent: Checking): Promise<CheckedFields<string | undefined>>
async function checked({ fields, lacksImage, clean }: Checking): Promise<CheckedFields<string | undefined>> {
  const details: ErrorDetail[] = []
  const wrong = (field: string, message: string | null) => {
    if (message !== null) details.push({ field, message })
  }

  let { content } = fields
  if (content !== undefined) {
    const problem = POST_CONTENT.problem(content)
    if (problem === null) {
      const post = await clean(content)
      content = post.html
      wrong('content', post.isEmpty ? CONTENT_REQUIRED : null)
    } else wrong('content', problem)
  }

  if (lacksImage) wrong('file', IMAGE_REQUIRED)

  if (fields.version !== undefined && !/^[1-9]\d{0,8}$/.test(fields.version)) {
    wrong('version', "This isn't the version of a post.")
  }

  const { title, summary, slug, imgAlt } = checkFields({ ...POST_FIELDS, imgAlt: IMAGE_ALT }, fields, details)
  if (slug !== undefined && (ARTICLE_SLUGS as readonly string[]).includes(slug)) throw slugTaken()
  return {
    title,
    summary,
    slug,
    content,
    imgAlt,
    version: fields.version === undefined ? undefined : Number(fields.version),
  }
}

function uploadsOf({ img, content }: BlogRecord): string[] {
  return uploadUrlsIn(`${img} ${content}`)
}

function notFound(): AppError {
  return new AppError('not-found', 'Post not found.')
}

function slugTaken(): AppError {
  return fieldError('slug', 'This slug is taken. Choose another one.', { code: 'conflict' })
}

function presentSummary(blog: BlogSummaryRecord): BlogSummary {
  const { _id, title, slug, summary, img, imgAlt, createdAt, updatedAt, demo } = blog
  return {
    _id,
    title,
    slug,
    summary,
    img,
    imgAlt,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
    sample: demo,
  }
}
