import { randomBytes } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import { PREVIEW_DAYS } from '@proctorpass/shared/limits'
import { PREVIEW_PAGE } from '@proctorpass/shared/preview-path'
import type { Blog, PreviewLink } from '@proctorpass/shared/schemas/blog'
import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import { hashOfToken } from '../auth/session-tokens.ts'
import type { Limits } from '../limits/limits.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { BlogRecord } from '../storage/model/blogs.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { PostPresenter } from './present-post.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const TOKEN_BYTES = 32
/** Without capitals, because a page's path is in lower case. */
const TOKEN = /^[0-9a-f]{64}$/

interface PreviewLinksDeps {
  storage: Pick<Storage, 'blogs' | 'previewLinks'>
  limits: Pick<Limits, 'take'>
  present: PostPresenter
  publicUrl: string
  now: () => number
}

/**
 * The use cases for links with which people without an account read a post before it is published. The store keeps only
 * the hash of a link's token.
 */
export function createPreviewLinks({ storage, limits, present, publicUrl, now }: PreviewLinksDeps) {
  async function postOf(id: string): Promise<BlogRecord> {
    const blog = await storage.blogs.findById(id)
    if (blog === null) throw notFound()
    return blog
  }

  return {
    /** Makes the post's link, which ends an earlier one. Throws an AppError `not-found`. */
    async create(admin: AdminCaller, id: string): Promise<PreviewLink> {
      const { title } = await postOf(id)
      const token = randomBytes(TOKEN_BYTES).toString('hex')
      const at = now()
      const link = { _id: id, hash: hashOfToken(token), expiresAt: at + PREVIEW_DAYS * DAY_MS }
      const entry = auditEntry(admin, 'preview-link.created', { target: id, details: { title } })
      await withEntry(entry, () => storage.previewLinks.replace(link, at))
      return {
        url: `${publicUrl}${PREVIEW_PAGE}${token}`,
        expiresAt: new Date(link.expiresAt).toISOString(),
      }
    },

    /** Ends the post's link, if there is one. Throws an AppError `not-found` for an unknown post. */
    async remove(admin: AdminCaller, id: string): Promise<void> {
      const { title } = await postOf(id)
      const entry = auditEntry(admin, 'preview-link.deleted', { target: id, details: { title } })
      await withEntry(entry, () => storage.previewLinks.remove(id))
    },

    /** Returns the post in any state. Throws an AppError `not-found` for a link that has ended, and for any other text. */
    async read(token: string, address: string): Promise<Blog> {
      await limits.take('preview', address)
      const link = TOKEN.test(token) ? await storage.previewLinks.findByHash(hashOfToken(token), now()) : null
      if (link === null) throw ended()
      const blog = await storage.blogs.findById(link._id)
      if (blog === null) throw ended()
      return present.whole(blog)
    },
  }
}

export type PreviewLinks = ReturnType<typeof createPreviewLinks>

function notFound(): AppError {
  return new AppError('not-found', 'Post not found.')
}

function ended(): AppError {
  return new AppError('not-found', 'This preview has ended. Ask for a new link.')
}
