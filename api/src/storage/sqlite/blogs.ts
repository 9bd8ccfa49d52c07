import type { DatabaseSync } from 'node:sqlite'
import type { BlogRecord, BlogSummaryRecord, NewBlog } from '../port/records.ts'
import type { BlogRepository } from '../port/storage.ts'
import { newId } from '../rules/ids.ts'
import { uploadsIn } from '../rules/upload-references.ts'
import { newestFirst } from './newest-first.ts'
import type { WriteQueue } from './write-queue.ts'

const SUMMARY_COLUMNS = [
  ...(['_id', 'slug', 'title', 'summary', 'img', 'imgAlt'] as const),
  ...(['createdAt', 'updatedAt', 'demo'] as const),
]
const COLUMNS = [...SUMMARY_COLUMNS, 'content', 'version'].join(', ')

export function openBlogs(db: DatabaseSync, queue: WriteQueue): BlogRepository {
  const list = newestFirst<BlogSummaryRecord>(db, 'blogs', SUMMARY_COLUMNS)
  const insert = blogInsertion(db)
  const setReferences = uploadReferences(db)
  const sql = {
    bySlug: db.prepare(`SELECT ${COLUMNS} FROM blogs WHERE slug = ?`),
    byId: db.prepare(`SELECT ${COLUMNS} FROM blogs WHERE _id = ?`),
    // IGNORE: nothing is changed when another post has the slug. `describes` tells a null from a field that stays.
    update: db.prepare(
      `UPDATE OR IGNORE blogs SET slug = coalesce(:slug, slug), title = coalesce(:title, title),
         summary = coalesce(:summary, summary), img = coalesce(:img, img), content = coalesce(:content, content),
         imgAlt = iif(:describes, :imgAlt, imgAlt),
         updatedAt = max(:at, updatedAt), version = version + 1, demo = 0
       WHERE _id = :id AND version = coalesce(:version, version) RETURNING ${COLUMNS}`,
    ),
    remove: db.prepare(`DELETE FROM blogs WHERE _id = ? RETURNING ${COLUMNS}`),
    refersTo: db.prepare('SELECT 1 FROM blog_uploads WHERE hash = ? LIMIT 1'),
  }
  return {
    async list(page) {
      const { items, count } = list(page)
      return { items: items.map(withFlag), count }
    },
    findBySlug: async (slug) => toBlog(sql.bySlug.get(slug)),
    findById: async (id) => toBlog(sql.byId.get(id)),
    create: (blog) => queue.write(() => insert(blog, { demo: false })),
    update: (id, { slug, title, summary, img, imgAlt, content, at }, version) =>
      queue.write(() => {
        const before = toBlog(sql.byId.get(id))
        if (before === null) return { outcome: 'missing' }
        const change = { slug, title, summary, img, imgAlt, content, version }
        const given = Object.entries(change).map(([name, value]) => [name, value ?? null])
        const blog = toBlog(
          sql.update.get({ ...Object.fromEntries(given), describes: Number(imgAlt !== undefined), at, id }),
        )
        if (blog !== null) {
          setReferences(blog)
          return { outcome: 'stored', blog, before }
        }
        return { outcome: version === undefined || version === before.version ? 'slug-taken' : 'stale' }
      }),
    remove: (id) => queue.write(() => toBlog(sql.remove.get(id))),
    refersTo: async (uploadUrl) => uploadsIn(uploadUrl).some((hash) => sql.refersTo.get(hash) !== undefined),
  }
}

function toBlog(row: unknown): BlogRecord | null {
  return row === undefined ? null : withFlag(row as BlogRecord)
}

/** The row with its 0 or 1 as a boolean. */
function withFlag<Row extends { demo: unknown }>(row: Row): Row {
  return { ...row, demo: row.demo === 1 }
}

/** The insertion returns null when the slug is taken. */
export function blogInsertion(
  db: DatabaseSync,
): (blog: NewBlog, options: { demo: boolean }) => BlogRecord | null {
  const setReferences = uploadReferences(db)
  const insert = db.prepare(
    `INSERT INTO blogs (_id, slug, title, summary, img, imgAlt, createdAt, updatedAt, demo, content)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (slug) DO NOTHING`,
  )
  return ({ slug, title, summary, img, imgAlt, content, createdAt }, { demo }) => {
    const _id = newId(createdAt)
    const { changes } = insert.run(
      _id,
      slug,
      title,
      summary,
      img,
      imgAlt,
      createdAt,
      createdAt,
      Number(demo),
      content,
    )
    if (changes === 0) return null
    const texts = { slug, title, summary, img, imgAlt, content }
    const blog = { _id, ...texts, createdAt, updatedAt: createdAt, version: 1, demo }
    setReferences(blog)
    return blog
  }
}

/** Replaces the references of a post to uploads. */
function uploadReferences(db: DatabaseSync): (blog: BlogRecord) => void {
  const clear = db.prepare('DELETE FROM blog_uploads WHERE blogId = ?')
  const add = db.prepare('INSERT INTO blog_uploads (hash, blogId) VALUES (?, ?)')
  return ({ _id, img, content }) => {
    clear.run(_id)
    for (const hash of uploadsIn(img, content)) add.run(hash, _id)
  }
}
