import { nameWithoutLink } from '@proctorpass/shared/fields/name'
import type { Blog, BlogSummary } from '@proctorpass/shared/schemas/blog'
import { keyIdOf } from '@proctorpass/shared/schemas/key'
import { type BlogRecord, type BlogSummaryRecord, stateOf } from '../storage/model/blogs.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { PostCleaner } from './clean-post.ts'
import { minutesFor } from './post-fields.ts'

interface PresenterDeps {
  storage: Pick<Storage, 'blogs' | 'users'>
  clean: PostCleaner
  brand: string
  now: () => number
}

/** Turns stored posts into what the API answers. */
export function createPostPresenter({ storage, clean, brand, now }: PresenterDeps) {
  /** Returns the name that visitors see. */
  async function nameOf(authorId: string | null): Promise<string | null> {
    if (authorId === null) return null
    if (keyIdOf(authorId) !== null) return brand
    return nameWithoutLink((await storage.users.findById(authorId))?.displayName) ?? brand
  }

  /** Measures a post that an older release stored, and keeps the result. */
  async function measure(_id: string): Promise<number> {
    const blog = await storage.blogs.findById(_id)
    const minutes = minutesFor(blog === null ? 0 : (await clean(blog.content)).words)
    // If this fails, the next list measures it again.
    if (blog !== null) await storage.blogs.measured(_id, blog.version, minutes).catch(() => {})
    return minutes
  }

  function summary(blog: BlogSummaryRecord, author: string | null, readingMinutes: number): BlogSummary {
    const { _id, title, slug, summary, img, imgAlt, lang, publishAt, createdAt, updatedAt, demo } = blog
    const state = stateOf(blog, now())
    const iso = state === 'draft' ? null : isoOf(publishAt)
    return {
      ...{ _id, title, slug, summary, img, imgAlt, lang, state, publishAt: iso },
      ...{ publishedAt: state === 'published' ? iso : null, author, readingMinutes },
      ...{ createdAt: isoOf(createdAt), updatedAt: isoOf(updatedAt), sample: demo },
    }
  }

  return {
    async summaries(blogs: readonly BlogSummaryRecord[]): Promise<BlogSummary[]> {
      const authors = [...new Set(blogs.map(({ authorId }) => authorId))]
      const names = new Map(
        await Promise.all(authors.map(async (author) => [author, await nameOf(author)] as const)),
      )
      const summaries: BlogSummary[] = []
      for (const blog of blogs) {
        const minutes = blog.readingMinutes ?? (await measure(blog._id))
        summaries.push(summary(blog, names.get(blog.authorId) ?? null, minutes))
      }
      return summaries
    },

    /** Sanitizes the content again, because an older release may have stored it under weaker rules. */
    async whole(blog: BlogRecord): Promise<Blog> {
      const { html, words } = await clean(blog.content)
      const author = await nameOf(blog.authorId)
      return { ...summary(blog, author, minutesFor(words)), content: html, version: blog.version }
    },
  }
}

export type PostPresenter = ReturnType<typeof createPostPresenter>

function isoOf(at: number): string {
  return new Date(at).toISOString()
}
