import { AppError, changedMeanwhile, fieldError } from '@proctorpass/shared/errors'
import { IMAGE_REQUIRED } from '@proctorpass/shared/fields/post'
import type { Blog } from '@proctorpass/shared/schemas/blog'
import type { PostFields, PostVersion, VersionList } from '@proctorpass/shared/schemas/text'
import type { AdminCaller } from '../auth/caller.ts'
import { type BlogRecord, stateOf } from '../storage/model/blogs.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Version } from '../storage/model/versions.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { PostCleaner } from './clean-post.ts'
import type { ContentRevision } from './content-revision.ts'
import { checkPost, slugTaken } from './post-fields.ts'
import type { PostPresenter } from './present-post.ts'
import { versionNumber, versionsOf } from './version-list.ts'
import { writersOf } from './writers.ts'

const subjectOf = (id: string) => `post ${id}` as const

/** Keeps the versions that changes to posts replace. */
export function createPostHistory({ storage, uploads }: { storage: Storage; uploads: Uploads }) {
  return {
    /** Call this before a change replaces the version. */
    keep: (before: BlogRecord) => storage.versions.keep(subjectOf(before._id), versionOf(before)),

    /** Removes what is too old once the version is stored. If this fails, the next change does it. */
    async trim({ _id, version }: BlogRecord): Promise<void> {
      await storage.versions
        .trim(subjectOf(_id), version)
        .then(uploads.release)
        .catch(() => {})
    },

    /** Removes all versions of a post that is removed, and what only they showed. */
    async end(_id: string): Promise<void> {
      await storage.versions
        .end(subjectOf(_id))
        .then(uploads.release)
        .catch(() => {})
    },
  }
}

export type PostHistory = ReturnType<typeof createPostHistory>

interface PostVersionsDeps {
  storage: Storage
  history: PostHistory
  contentRevision: ContentRevision
  clean: PostCleaner
  present: PostPresenter
  isOn: (lang: string) => Promise<boolean>
  now: () => number
}

/** The admins' use cases for posts' versions. All throw an AppError `not-found` for an unknown post. */
export function createPostVersions(deps: PostVersionsDeps) {
  const { storage, history, contentRevision, clean, present, isOn, now } = deps

  async function postOf(id: string): Promise<BlogRecord> {
    const blog = await storage.blogs.findById(id)
    if (blog === null) throw new AppError('not-found', 'Post not found.')
    return blog
  }

  /** Throws an AppError `not-found` for a version that is not kept. */
  async function versionAt(blog: BlogRecord, sent: string): Promise<Version & { post: PostFields }> {
    const n = versionNumber(sent) ?? 0
    const kept = n < blog.version ? await storage.versions.find(subjectOf(blog._id), n) : null
    const found = n === blog.version ? versionOf(blog) : kept
    if (found === null || found.fields === null) throw new AppError('not-found', 'This version is not kept.')
    return { ...found, post: JSON.parse(found.fields) }
  }

  return {
    async list(_admin: AdminCaller, id: string): Promise<VersionList> {
      const blog = await postOf(id)
      return versionsOf(storage, subjectOf(blog._id), versionOf(blog))
    },

    async find(_admin: AdminCaller, id: string, sent: string): Promise<PostVersion> {
      const { n, at, by, post } = await versionAt(await postOf(id), sent)
      const [writer = null] = await writersOf([by], storage)
      const fields = { ...post, content: (await clean(post.content)).html }
      return { n, at: new Date(at).toISOString(), by: writer, fields }
    },

    /**
     * Stores an earlier version as the next one; the post stays published, scheduled, or a draft. Throws an AppError
     * `conflict` if another version than `version` is stored or the slug is taken, and `invalid-input` with a detail for
     * each field that the post's state asks for.
     */
    async restore(admin: AdminCaller, id: string, sent: string, version: number): Promise<Blog> {
      const before = await postOf(id)
      const { img, imgAlt, ...texts } = (await versionAt(before, sent)).post
      if (before.version !== version) throw changedMeanwhile('this post')
      if (img === '' && stateOf(before, now()) !== 'draft') throw fieldError('file', IMAGE_REQUIRED)
      const { version: _, ...checked } = await checkPost({
        ...{ fields: texts, hasFile: img !== '', before, clean, isOn, now: now() },
      })
      await history.keep(before)
      const change = { ...checked, img, imgAlt, editedBy: admin.userId, at: now() }
      const updated = await storage.blogs.update(id, change, version)
      if (updated.outcome === 'slug-taken') throw slugTaken()
      if (updated.outcome !== 'stored') throw changedMeanwhile('this post')
      await contentRevision.changed()
      await history.trim(updated.blog)
      return present.whole(updated.blog)
    },
  }
}

export type PostVersions = ReturnType<typeof createPostVersions>

/** Posts from 1.0.0 do not know who changed them. */
function versionOf(blog: BlogRecord): Version {
  const { title, summary, slug, img, imgAlt, content, lang, version, updatedAt, editedBy, authorId } = blog
  const fields: PostFields = { title, summary, slug, img, imgAlt, content, lang }
  const by = version === 1 ? (editedBy ?? authorId) : editedBy
  return { n: version, at: updatedAt, by, fields: JSON.stringify(fields) }
}
