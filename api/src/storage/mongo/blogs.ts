import type { BlogRecord, BlogSummaryRecord } from '../port/records.ts'
import type { BlogRepository } from '../port/storage.ts'
import { newId } from '../rules/ids.ts'
import { uploadsIn } from '../rules/upload-references.ts'
import type { AuditedWrites } from './audit-chain.ts'
import type { MongoConnection } from './connection.ts'
import { type BlogDoc, blogDoc, blogOf, type Collections } from './documents.ts'
import { newestFirst } from './newest-first.ts'
import { isDuplicate } from './outage.ts'

const RECORD = { projection: { id: 0, uploads: 0 } } as const

export function openBlogs(
  { blogs }: Collections,
  majority: MongoConnection['majority'],
  audited: AuditedWrites,
): BlogRepository {
  const shown = { ...majority, ...RECORD }
  const list = newestFirst<BlogSummaryRecord, BlogDoc>(blogs, majority, {
    equal: {},
    hidden: ['uploads', 'content', 'version'],
  })

  async function find(
    filter: { slug: string } | { _id: string },
    options = shown,
  ): Promise<BlogRecord | null> {
    const found = await blogs.findOne<BlogRecord>(filter, options)
    return found && blogOf(found)
  }

  /** Not a majority read: the write that follows requires this version, and waits for the majority. */
  const newest = (id: string) => find({ _id: id }, RECORD)

  return {
    async list(page) {
      const { items, count } = await list(page)
      return { items: items.map(blogOf), count }
    },
    findBySlug: (slug) => find({ slug }),
    findById: (id) => find({ _id: id }),

    async create({ slug, title, summary, img, imgAlt, content, createdAt }) {
      const written = { slug, title, summary, img, imgAlt, content, createdAt, updatedAt: createdAt }
      const record = { _id: newId(createdAt), ...written, version: 1, demo: false }
      try {
        await blogs.insertOne(blogDoc(record))
        return record
      } catch (error) {
        if (isDuplicate(error)) return null
        throw error
      }
    },

    async update(id, { slug, title, summary, img, imgAlt, content, at }, version) {
      const change = Object.entries({ slug, title, summary, img, imgAlt, content })
      const given = Object.fromEntries(change.filter(([, value]) => value !== undefined))
      for (;;) {
        const before = await newest(id)
        if (before === null) return { outcome: 'missing' }
        if (version !== undefined && version !== before.version) return { outcome: 'stale' }
        const blog: BlogRecord = {
          ...before,
          ...given,
          updatedAt: Math.max(at, before.updatedAt),
          version: before.version + 1,
          demo: false,
        }
        const { _id, ...fields } = blogDoc(blog)
        try {
          const { modifiedCount } = await blogs.updateOne({ _id, version: before.version }, { $set: fields })
          if (modifiedCount === 1) return { outcome: 'stored', blog, before }
        } catch (error) {
          if (isDuplicate(error)) return { outcome: 'slug-taken' }
          throw error
        }
        // Another change was stored in between: retry from there.
      }
    },

    async remove(id) {
      for (;;) {
        const found = await newest(id)
        if (found === null) return null
        const filter = { _id: id, version: found.version }
        const isRemoved = await audited.remove(
          { collection: blogs.collectionName, filter },
          async () => (await blogs.deleteOne(filter)).deletedCount === 1,
          (removed) => removed,
        )
        if (isRemoved) return found
      }
    },

    async refersTo(uploadUrl) {
      const filter = { uploads: { $in: uploadsIn(uploadUrl) } }
      return (await blogs.findOne(filter, { ...majority, projection: { _id: 1 } })) !== null
    },
  }
}
