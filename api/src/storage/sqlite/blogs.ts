import type { DatabaseSync } from 'node:sqlite'
import { newId } from '../ids.ts'
import type { BlogRecord, BlogRepository, BlogSummaryRecord, NewBlog } from '../storage.ts'
import { newestFirst } from './newest-first.ts'
import type { WriteQueue } from './write-queue.ts'

const SUMMARY_COLUMNS = ['_id', 'slug', 'title', 'summary', 'img', 'createdAt', 'updatedAt'] as const

export function openBlogs(db: DatabaseSync, queue: WriteQueue): BlogRepository {
  const list = newestFirst<BlogSummaryRecord>(db, 'blogs', SUMMARY_COLUMNS)
  const insert = blogInsertion(db)
  const sql = {
    bySlug: db.prepare(`SELECT ${SUMMARY_COLUMNS.join(', ')}, content FROM blogs WHERE slug = ?`),
    remove: db.prepare('DELETE FROM blogs WHERE _id = ?'),
  }
  return {
    list: async (page) => list(page),
    async findBySlug(slug) {
      const row = sql.bySlug.get(slug)
      return row === undefined ? null : ({ ...row } as unknown as BlogRecord)
    },
    create: (blog) => queue.write(() => insert(blog, { demo: false })),
    remove: (id) => queue.write(() => sql.remove.run(id).changes === 1),
  }
}

/** Answers null when the slug is taken. */
export function blogInsertion(
  db: DatabaseSync,
): (blog: NewBlog, options: { demo: boolean }) => BlogRecord | null {
  const insert = db.prepare(
    `INSERT INTO blogs (_id, slug, title, summary, img, createdAt, updatedAt, demo, content)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (slug) DO NOTHING`,
  )
  return ({ slug, title, summary, img, content, createdAt }, { demo }) => {
    const _id = newId(createdAt)
    const { changes } = insert.run(
      _id,
      slug,
      title,
      summary,
      img,
      createdAt,
      createdAt,
      Number(demo),
      content,
    )
    if (changes === 0) return null
    return { _id, slug, title, summary, img, content, createdAt, updatedAt: createdAt }
  }
}
