import {
  BLOG_CONTENT_BYTES_MAX,
  BLOG_SUMMARY_MAX,
  BLOG_TITLE_MAX,
  IMAGE_ALT_MAX,
} from '@proctorpass/shared/limits'
import Type from 'typebox'
import type { BlogRecord, NewBlog } from '../port/records.ts'
import type { BlogRepository } from '../port/storage.ts'
import { newId } from '../rules/ids.ts'
import { Id, OrNull, Positive, Time, text } from './bounds.ts'
import { type PlainTable, pageOf, type Rows } from './plain-table.ts'

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const
const SUMMARY = [
  ...(['_id', 'slug', 'title', 'summary', 'img', 'imgAlt'] as const),
  ...(['createdAt', 'updatedAt', 'demo'] as const),
]

/** Adapters keep which uploads a post shows, in the write of the post. */
export const BLOGS: PlainTable<BlogRecord> = {
  name: 'blogs',
  key: '_id',
  fields: {
    _id: Id,
    slug: Type.String({ pattern: '^[a-z0-9-]{1,200}$' }),
    title: text(BLOG_TITLE_MAX),
    summary: text(BLOG_SUMMARY_MAX),
    img: text(1_000),
    imgAlt: OrNull(text(IMAGE_ALT_MAX)),
    // Sanitizing writes some characters as entities of up to six characters.
    content: Type.String({ maxLength: 8 * BLOG_CONTENT_BYTES_MAX }),
    createdAt: Time,
    updatedAt: Time,
    version: Positive,
    demo: Type.Boolean(),
  },
  missing: { imgAlt: null },
  indexes: {
    newest: { by: NEWEST_FIRST },
    demo: { by: { demo: 1 } },
    slug: { by: { slug: 1 }, unique: true },
  },
}

export function openBlogs(blogs: Rows<BlogRecord>, refersTo: BlogRepository['refersTo']): BlogRepository {
  return {
    list: (page) => pageOf(blogs, {}, NEWEST_FIRST, page, SUMMARY),
    findBySlug: (slug) => blogs.find({ slug }),
    findById: (_id) => blogs.find({ _id }),

    async create(blog) {
      const row = blogRow(newId(blog.createdAt), blog, { demo: false })
      return (await blogs.insert(row)) ? row : null
    },

    async update(_id, { slug, title, summary, img, imgAlt, content, at }, version) {
      const change = Object.entries({ slug, title, summary, img, imgAlt, content })
      const given = Object.fromEntries(change.filter(([, value]) => value !== undefined))
      for (;;) {
        const before = await blogs.find({ _id })
        if (before === null) return { outcome: 'missing' }
        if (version !== undefined && version !== before.version) return { outcome: 'stale' }
        const updatedAt = Math.max(at, before.updatedAt)
        const blog: BlogRecord = {
          ...{ ...before, ...given },
          ...{ updatedAt, version: before.version + 1, demo: false },
        }
        const { _id: _, ...set } = blog
        const outcome = await blogs.update({ _id, version: before.version }, set)
        if (outcome === 'updated') return { outcome: 'stored', blog, before }
        if (outcome === 'duplicate') return { outcome: 'slug-taken' }
        // Another change was stored meanwhile: try again from there.
      }
    },

    async remove(_id) {
      for (;;) {
        const found = await blogs.find({ _id })
        if (found === null) return null
        if ((await blogs.remove({ _id, version: found.version })) === 1) return found
      }
    },

    refersTo,
  }
}

export function blogRow(
  _id: string,
  { slug, title, summary, img, imgAlt, content, createdAt }: NewBlog,
  { demo }: { demo: boolean },
): BlogRecord {
  const written = { slug, title, summary, img, imgAlt, content }
  return { _id, ...written, createdAt, updatedAt: createdAt, version: 1, demo }
}
