import {
  BLOG_CONTENT_BYTES_MAX,
  BLOG_SUMMARY_MAX,
  BLOG_TITLE_MAX,
  IMAGE_ALT_MAX,
} from '@proctorpass/shared/limits'
import Type from 'typebox'
import { Id, OrNull, Positive, Time, text } from './bounds.ts'
import { newId } from './ids.ts'
import { type Listed, type PageOfList, type PlainTable, pageOf, type Rows } from './plain-table.ts'

export interface BlogRecord {
  _id: string
  /** The unique name of the post in its URL. */
  slug: string
  title: string
  summary: string
  img: string
  /** The image's description. Empty for a decorative image, null while the image is not described. */
  imgAlt: string | null
  /** The content as sanitized HTML. */
  content: string
  createdAt: number
  updatedAt: number
  /** Begins with 1 and increases by 1 with each change. */
  version: number
  /** True for a sample that no admin has changed. */
  demo: boolean
}

export type BlogSummaryRecord = Omit<BlogRecord, 'content' | 'version'>

export type NewBlog = Omit<BlogRecord, '_id' | 'updatedAt' | 'version' | 'demo'>

/** Undefined fields stay as they are. */
export interface BlogChange {
  slug?: string | undefined
  title?: string | undefined
  summary?: string | undefined
  img?: string | undefined
  imgAlt?: string | null | undefined
  content?: string | undefined
  /** The change's time. `updatedAt` never decreases. */
  at: number
}

export type BlogUpdated =
  | { outcome: 'stored'; blog: BlogRecord; before: BlogRecord }
  /** `stale` means that another version is stored. */
  | { outcome: 'missing' | 'slug-taken' | 'stale' }

const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const

const SUMMARY = [
  '_id',
  'slug',
  'title',
  'summary',
  'img',
  'imgAlt',
  'createdAt',
  'updatedAt',
  'demo',
] as const

/** Adapters store which uploads a post shows in the write that stores the post. */
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
    // Sanitizing writes some characters as entities, which take up to six characters.
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

export function openBlogs(blogs: Rows<BlogRecord>, refersTo: (uploadUrl: string) => Promise<boolean>) {
  return {
    /** Lists the newest posts first, by createdAt and then by _id. */
    list: (page: PageOfList): Promise<Listed<BlogSummaryRecord>> =>
      pageOf(blogs, {}, NEWEST_FIRST, page, SUMMARY),
    findBySlug: (slug: string) => blogs.find({ slug }),
    findById: (_id: string) => blogs.find({ _id }),

    /** Creates a post. Returns null when the slug is taken. */
    async create(blog: NewBlog): Promise<BlogRecord | null> {
      const row = blogRow(newId(blog.createdAt), blog, { demo: false })
      return (await blogs.insert(row)) ? row : null
    },

    /**
     * Stores the change atomically under the next version. With `version`, it is stored only while that version is
     * stored. The write itself checks this, so only one of two changes to the same version is stored. A changed sample
     * is no longer a sample.
     */
    async update(
      _id: string,
      { slug, title, summary, img, imgAlt, content, at }: BlogChange,
      version?: number,
    ): Promise<BlogUpdated> {
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
        // Another change was stored in the meantime, so this one is tried again.
      }
    },

    /** Returns the removed post, or null when it is missing. */
    async remove(_id: string): Promise<BlogRecord | null> {
      for (;;) {
        const found = await blogs.find({ _id })
        if (found === null) return null
        if ((await blogs.remove({ _id, version: found.version })) === 1) return found
      }
    },

    /** Returns whether any post's image or content shows this upload in any width. Costs one index lookup. */
    refersTo,
  }
}

export type BlogRepository = ReturnType<typeof openBlogs>

export function blogRow(
  _id: string,
  { slug, title, summary, img, imgAlt, content, createdAt }: NewBlog,
  { demo }: { demo: boolean },
): BlogRecord {
  const written = { slug, title, summary, img, imgAlt, content }
  return { _id, ...written, createdAt, updatedAt: createdAt, version: 1, demo }
}

/** Matches an upload's hash in its URL. All widths of an image share it, so a reference to one width refers to all. */
const UPLOAD = /\/uploads\/([0-9a-z]+)(?:-[0-9]+)?\.[a-z]+/g

/** Returns the distinct hashes of the uploads to which the texts refer. */
export function uploadsIn(...texts: string[]): string[] {
  const hashes = texts.flatMap((text) => [...text.matchAll(UPLOAD)].map(([, hash = '']) => hash))
  return [...new Set(hashes)]
}
