import type { DatabaseSync } from 'node:sqlite'
import { type BlogRecord, type BlogRepository, uploadsIn } from '../model/blogs.ts'

/** Which posts show which uploads. */
export class UploadReferences {
  readonly #sql

  constructor(db: DatabaseSync) {
    this.#sql = {
      clear: db.prepare('DELETE FROM blog_uploads WHERE blogId = ?'),
      add: db.prepare('INSERT INTO blog_uploads (hash, blogId) VALUES (?, ?)'),
      find: db.prepare('SELECT 1 FROM blog_uploads WHERE hash = ? LIMIT 1'),
    }
  }

  /** Replaces those of a post, in the transaction that writes it. */
  set({ _id, img, content }: BlogRecord): void {
    this.#sql.clear.run(_id)
    for (const hash of uploadsIn(img, content)) this.#sql.add.run(hash, _id)
  }

  refersTo: BlogRepository['refersTo'] = async (uploadUrl) =>
    uploadsIn(uploadUrl).some((hash) => this.#sql.find.get(hash) !== undefined)
}
