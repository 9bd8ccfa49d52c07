import {
  BLOG_CONTENT_BYTES_MAX,
  BLOG_SUMMARY_MAX,
  BLOG_TITLE_MAX,
  IMAGE_ALT_MAX,
} from '@proctorpass/shared/limits'
import { POST_STATES, type PostState } from '@proctorpass/shared/post-states'
import Type from 'typebox'
import { Author, Id, OrNull, Positive, TIME_MAX, Time, text } from './bounds.ts'
import { newId } from './ids.ts'
import type { Listed, Order, PageOfList, PlainTable, Rows, Where } from './plain-table.ts'

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
  /** The time from which everyone sees the post: NEVER for a draft, and in the future for a scheduled post. */
  publishAt: number
  /** The admin or API key that created the post. Null where this is not known. */
  authorId: string | null
  /** The admin or API key that stored this version. Null where this is not known. */
  editedBy: string | null
  /** The language in which the post is written. */
  lang: string
  /** How many minutes the content takes to read. Null in posts from older releases until it is measured. */
  readingMinutes: number | null
  createdAt: number
  updatedAt: number
  /** Begins with 1 and increases by 1 with each change. */
  version: number
  /** True for a sample that no admin has changed. */
  demo: boolean
}

export type BlogSummaryRecord = Omit<BlogRecord, 'content' | 'version' | 'editedBy'>

type Standing = 'publishAt' | 'authorId' | 'lang' | 'readingMinutes'

/**
 * Without `_id`, the store gives one. Without `publishAt`, the post is published when it is created. Without `lang`, it is in
 * English. Without the others, they are null.
 */
export type NewBlog = Omit<BlogRecord, '_id' | 'updatedAt' | 'version' | 'demo' | 'editedBy' | Standing> &
  Partial<Pick<BlogRecord, Standing | '_id'>>

/** Undefined fields stay as they are. */
export interface BlogChange {
  slug?: string | undefined
  title?: string | undefined
  summary?: string | undefined
  img?: string | undefined
  imgAlt?: string | null | undefined
  content?: string | undefined
  publishAt?: number | undefined
  readingMinutes?: number | undefined
  lang?: string | undefined
  /** The admin or API key that makes the change. Null if not given. */
  editedBy?: string | null | undefined
  /** The change's time. `updatedAt` never decreases. */
  at: number
}

export type BlogUpdated =
  | { outcome: 'stored'; blog: BlogRecord; before: BlogRecord }
  /** `stale` means that another version is stored. */
  | { outcome: 'missing' | 'slug-taken' | 'stale' }

/** A draft's time. It is a time, because not every server finds null in an index. */
export const NEVER = TIME_MAX

const NEWEST_FIRST = { publishAt: -1, _id: -1 } as const

const SUMMARY = [
  '_id',
  'slug',
  'title',
  'summary',
  'img',
  'imgAlt',
  'publishAt',
  'authorId',
  'lang',
  'readingMinutes',
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
    publishAt: Time,
    authorId: OrNull(Author),
    editedBy: OrNull(Author),
    lang: Type.String({ pattern: '^[A-Za-z0-9-]{2,35}$' }),
    readingMinutes: OrNull(Positive),
    createdAt: Time,
    updatedAt: Time,
    version: Positive,
    demo: Type.Boolean(),
  },
  missing: { imgAlt: null, authorId: null, editedBy: null, lang: 'en', readingMinutes: null },
  // Every post from an older release is published.
  missingFrom: { publishAt: 'createdAt' },
  indexes: {
    published: { by: NEWEST_FIRST },
    demo: { by: { demo: 1 } },
    slug: { by: { slug: 1 }, unique: true },
  },
}

const PARTS: Readonly<
  Record<PostState, (now: number) => { where: Where<BlogRecord>; order: Order<BlogRecord> }>
> = {
  draft: () => ({ where: { publishAt: NEVER }, order: NEWEST_FIRST }),
  scheduled: (now) => ({ where: { publishAt: { '>': now, '<': NEVER } }, order: { publishAt: 1, _id: 1 } }),
  published: (now) => ({ where: { publishAt: { '<=': now } }, order: NEWEST_FIRST }),
}

export function openBlogs(blogs: Rows<BlogRecord>, refersTo: (uploadUrl: string) => Promise<boolean>) {
  return {
    /**
     * Lists the posts that are in one of these states at `now`: first drafts, the newest first; then scheduled posts, the
     * next one first; then published ones, the latest first. The same order holds within a state by `_id`.
     */
    async list(
      { page, perPage }: PageOfList,
      states: readonly PostState[],
      now: number,
    ): Promise<Listed<BlogSummaryRecord>> {
      const parts = POST_STATES.filter((state) => states.includes(state)).map((state) => PARTS[state](now))
      const counts = await Promise.all(parts.map(({ where }) => blogs.count(where)))
      const items: BlogSummaryRecord[] = []
      let offset = (page - 1) * perPage
      for (const [at, { where, order }] of parts.entries()) {
        const limit = perPage - items.length
        const count = counts[at] ?? 0
        if (limit > 0 && offset < count) {
          items.push(...(await blogs.list(where, { order, limit, offset, only: SUMMARY })))
        }
        offset = Math.max(0, offset - count)
      }
      return { items, count: counts.reduce((sum, count) => sum + count, 0) }
    },

    /** Returns whether a post's time came after `from`, and by `to`. Costs one index lookup. */
    async cameDue(from: number, to: number): Promise<boolean> {
      const due = { publishAt: { '>': from, '<=': to } }
      return (await blogs.list(due, { order: NEWEST_FIRST, limit: 1, only: ['_id'] })).length > 0
    },

    findBySlug: (slug: string) => blogs.find({ slug }),
    findById: (_id: string) => blogs.find({ _id }),

    /** Creates a post. Returns null when the slug is taken. */
    async create(blog: NewBlog): Promise<BlogRecord | null> {
      const row = blogRow(blog._id ?? newId(blog.createdAt), blog, { demo: false })
      return (await blogs.insert(row)) ? row : null
    },

    /**
     * Stores the change atomically under the next version. With `version`, it is stored only while that version is
     * stored. The write itself checks this, so only one of two changes to the same version is stored. A changed sample
     * is no longer a sample.
     */
    async update(
      _id: string,
      { at, editedBy = null, ...fields }: BlogChange,
      version?: number,
    ): Promise<BlogUpdated> {
      const { slug, title, summary, img, imgAlt, content, publishAt, readingMinutes, lang } = fields
      const written = { slug, title, summary, img, imgAlt, content, publishAt, readingMinutes, lang }
      const change = Object.entries(written)
      const given = Object.fromEntries(change.filter(([, value]) => value !== undefined))
      for (;;) {
        const before = await blogs.find({ _id })
        if (before === null) return { outcome: 'missing' }
        if (version !== undefined && version !== before.version) return { outcome: 'stale' }
        const updatedAt = Math.max(at, before.updatedAt)
        const blog: BlogRecord = {
          ...{ ...before, ...given },
          ...{ updatedAt, editedBy, version: before.version + 1, demo: false },
        }
        const { _id: _, ...set } = blog
        const outcome = await blogs.update({ _id, version: before.version }, set)
        if (outcome === 'updated') return { outcome: 'stored', blog, before }
        if (outcome === 'duplicate') return { outcome: 'slug-taken' }
        // Another change was stored in the meantime, so this one is tried again.
      }
    },

    /** Stores how long a version's content takes to read, which is no change to the post. */
    async measured(_id: string, version: number, readingMinutes: number): Promise<void> {
      await blogs.update({ _id, version }, { readingMinutes })
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

export function blogRow(_id: string, blog: NewBlog, { demo }: { demo: boolean }): BlogRecord {
  const { slug, title, summary, img, imgAlt, content, createdAt } = blog
  const { publishAt = createdAt, authorId = null, lang = 'en', readingMinutes = null } = blog
  return {
    ...{ _id, slug, title, summary, img, imgAlt, content, publishAt, authorId, lang },
    ...{ editedBy: authorId, readingMinutes, createdAt, updatedAt: createdAt, version: 1, demo },
  }
}

/** Returns a post's state at `now`. */
export function stateOf({ publishAt }: Pick<BlogRecord, 'publishAt'>, now: number): PostState {
  if (publishAt === NEVER) return 'draft'
  return publishAt > now ? 'scheduled' : 'published'
}

/** Matches an upload's hash in its URL. All widths of an image share it, so a reference to one width refers to all. */
const UPLOAD = /\/uploads\/([0-9a-z]+)(?:-[0-9]+)?\.[a-z]+/g

/** Returns the distinct hashes of the uploads to which the texts refer. */
export function uploadsIn(...texts: string[]): string[] {
  const hashes = texts.flatMap((text) => [...text.matchAll(UPLOAD)].map(([, hash = '']) => hash))
  return [...new Set(hashes)]
}
