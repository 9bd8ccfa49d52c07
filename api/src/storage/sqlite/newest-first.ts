import type { DatabaseSync } from 'node:sqlite'
import type { Listed, PageOfList } from '../port/records.ts'

/**
 * Pages of a table along its `_newest` index. The count comes from the same statement as the rows, so that both are
 * consistent; only a page without rows needs a second statement.
 */
export function newestFirst<Row>(
  db: DatabaseSync,
  table: 'blogs' | 'reviews' | 'pending_reviews',
  columns: readonly (keyof Row & string)[],
): (page: PageOfList) => Listed<Row> {
  const count = db.prepare(`SELECT count(*) AS count FROM ${table}`)
  const rows = db.prepare(
    `SELECT ${columns.join(', ')}, (SELECT count(*) FROM ${table}) AS count FROM ${table}
     ORDER BY createdAt DESC, _id DESC LIMIT ? OFFSET ?`,
  )
  return ({ page, perPage }) => {
    const found = rows.all(perPage, (page - 1) * perPage) as ({ count: number } & Row)[]
    const [first] = found
    return {
      items: found.map(({ count: _, ...row }) => row as Row),
      count: first?.count ?? (count.get() as { count: number }).count,
    }
  }
}
