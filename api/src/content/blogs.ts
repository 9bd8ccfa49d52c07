import { AppError, changedMeanwhile, fieldError } from '@proctorpass/shared/errors'
import { POST_CONTENT } from '@proctorpass/shared/fields/post'
import { PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import type { PostState } from '@proctorpass/shared/post-states'
import type { Blog, BlogForm, BlogList, WrittenBlog } from '@proctorpass/shared/schemas/blog'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import { withEntry } from '../storage/model/audit.ts'
import { type BlogRecord, stateOf } from '../storage/model/blogs.ts'
import { newId } from '../storage/model/ids.ts'
import type { Storage } from '../storage/model/storage.ts'
import { type Uploads, uploadUrlsIn } from '../uploads/uploads.ts'
import type { PostCleaner } from './clean-post.ts'
import type { ContentRevision } from './content-revision.ts'
import { ENGLISH } from './languages.ts'
import { checkPost, slugTaken } from './post-fields.ts'
import type { PostHistory } from './post-versions.ts'
import type { PostPresenter } from './present-post.ts'

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
  clean: PostCleaner
  present: PostPresenter
  history: PostHistory
  /** Whether a language is switched on. */
  isOn: (lang: string) => Promise<boolean>
  now: () => number
}

const PUBLISHED = ['published'] as const

/** The use cases for posts: everyone reads published ones, admins read and write all of them. */
export function createBlogs(deps: BlogsDeps) {
  const { storage, uploads, contentRevision, clean, present, history, isOn, now } = deps
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

  /** Throws an AppError `not-found` for an unknown slug, and for a post in another state. */
  async function get(slug: string, states: readonly PostState[]): Promise<Blog> {
    const blog = await storage.blogs.findBySlug(slug)
    if (blog === null || !states.includes(stateOf(blog, now()))) throw notFound()
    return present.whole(blog)
  }

  /** Adds when the post's preview link expires, which only admins may know. */
  async function forAdmin(blog: Blog): Promise<Blog> {
    const link = await storage.previewLinks.ofPost(blog._id, now())
    return link === null ? blog : { ...blog, previewExpiresAt: new Date(link.expiresAt).toISOString() }
  }

  async function list(
    { page = 1, perPage = PER_PAGE_DEFAULT }: ListQuery,
    states: readonly PostState[],
  ): Promise<BlogList> {
    const { items, count } = await storage.blogs.list({ page, perPage }, states, now())
    return { blogs: await present.summaries(items), count }
  }

  /** Writes a post. The audit log has an entry if that changes who sees the post, or when. */
  function writing<T>(
    admin: AdminCaller,
    before: BlogRecord | null,
    after: Pick<BlogRecord, '_id' | 'title' | 'publishAt'>,
    write: () => Promise<T>,
  ): Promise<T> {
    const state = stateOf(after, now())
    const isSame = state === (before === null ? 'draft' : stateOf(before, now()))
    if (isSame && (state !== 'scheduled' || before?.publishAt === after.publishAt)) return write()
    const { _id: target, title } = after
    const at = state === 'scheduled' ? { publishAt: new Date(after.publishAt).toISOString() } : {}
    return withEntry(auditEntry(admin, ACTIONS[state], { target, details: { title, ...at } }), write)
  }

  return {
    /** Returns a page of published posts, the latest first. */
    list: (query: ListQuery) => list(query, PUBLISHED),

    listOf: (_admin: AdminCaller, query: ListQuery, states: readonly PostState[]) => list(query, states),

    /** Returns a published post. Throws an AppError `not-found` for any other slug. */
    get: (slug: string) => get(slug, PUBLISHED),

    getOf: async (_admin: AdminCaller, slug: string, states: readonly PostState[]) =>
      forAdmin(await get(slug, states)),

    /** Returns whether a published post has the slug. */
    async exists(slug: string): Promise<boolean> {
      const blog = await storage.blogs.findBySlug(slug)
      return blog !== null && stateOf(blog, now()) === 'published'
    },

    /** Returns a post in any state. It is found by its ID, so that a changed slug does not matter. */
    async getById(_admin: AdminCaller, id: string): Promise<Blog> {
      const blog = await storage.blogs.findById(id)
      if (blog === null) throw notFound()
      return forAdmin(await present.whole(blog))
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
    async create(admin: AdminCaller, { fields, file }: SentBlog): Promise<WrittenBlog> {
      const at = now()
      const texts = { title: '', summary: '', slug: '', content: '' }
      const sent = { fields: { ...texts, ...fields }, hasFile: file !== null }
      const checked = await checkPost({ ...sent, before: null, clean, isOn, now: at })
      const { title = '', summary = '', slug = '', content = '', imgAlt = null } = checked
      const { publishAt = at, lang = ENGLISH, readingMinutes = null } = checked
      // The slug is checked early to spare the work on the image; the store checks it again.
      if ((await storage.blogs.findBySlug(slug)) !== null) throw slugTaken()
      const { saved, cleaned } = await withImage(file, async (img = '') => {
        const blog = {
          ...{ _id: newId(at), slug, title, summary, img, imgAlt, content },
          ...{ publishAt, authorId: admin.userId, lang, readingMinutes, createdAt: at },
        }
        const stored = await writing(admin, null, blog, () => storage.blogs.create(blog))
        if (stored === null) throw slugTaken()
        return stored
      })
      await contentRevision.changed()
      return { ...(await present.whole(saved)), ...(cleaned && { cleaned }) }
    },

    /**
     * Changes the fields that were sent. Throws as `create` does, and an AppError `not-found`, or `conflict` with a
     * detail for `version` if the post changed since that version.
     */
    async update(admin: AdminCaller, id: string, { fields, file }: SentBlog): Promise<WrittenBlog> {
      const judged = async () => {
        const before = await storage.blogs.findById(id)
        if (before === null) throw notFound()
        const { version, ...change } = await checkPost({
          ...{ fields, hasFile: file !== null, before, clean, isOn, now: now() },
        })
        return { before, version, change }
      }
      let { before, version, change } = await judged()
      const isEmpty = Object.values(change).every((value) => value === undefined)
      if (file === null && isEmpty && fields.state === undefined) {
        throw new AppError('invalid-input', 'There are no changes to save.')
      }
      const { saved, cleaned } = await withImage(file, async (img) => {
        for (;;) {
          // The old image's description does not describe a new image.
          const imgAlt = img === undefined ? change.imgAlt : (change.imgAlt ?? null)
          const { title = before.title, publishAt = before.publishAt } = change
          const changed = { ...change, img, imgAlt, editedBy: admin.userId, at: now() }
          await history.keep(before)
          const updated = await writing(admin, before, { _id: id, title, publishAt }, () =>
            storage.blogs.update(id, changed, version ?? before.version),
          )
          if (updated.outcome === 'stored') return updated
          if (updated.outcome === 'missing') throw notFound()
          if (updated.outcome === 'slug-taken') throw slugTaken()
          if (version !== undefined) throw changedMeanwhile('this post')
          // What another change has stored in the meantime may ask for more fields.
          const again = await judged()
          before = again.before
          change = again.change
        }
      })
      await contentRevision.changed()
      // What the version before shows stays until that version is too old.
      await history.trim(saved.blog)
      return { ...(await present.whole(saved.blog)), ...(cleaned && { cleaned }) }
    },

    /** Deletes a post for good. Throws an AppError `not-found` for an unknown one. */
    async remove(admin: AdminCaller, id: string): Promise<void> {
      const title = (await storage.blogs.findById(id))?.title
      const entry = auditEntry(admin, 'post.deleted', { target: id, details: { title } })
      const removed = await withEntry(entry, () => storage.blogs.remove(id))
      if (removed === null) throw notFound()
      await storage.previewLinks.remove(id)
      await contentRevision.changed()
      await history.end(id)
      await release(uploadsOf(removed))
    },
  }
}

export type Blogs = ReturnType<typeof createBlogs>

const ACTIONS = {
  draft: 'post.withdrawn',
  scheduled: 'post.scheduled',
  published: 'post.published',
} as const

function uploadsOf({ img, content }: BlogRecord): string[] {
  return uploadUrlsIn(`${img} ${content}`)
}

function notFound(): AppError {
  return new AppError('not-found', 'Post not found.')
}
