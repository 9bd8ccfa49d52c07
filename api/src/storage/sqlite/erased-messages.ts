import type { DatabaseSync } from 'node:sqlite'
import { always, type WriteQueue } from './write-queue.ts'

/** The messages that one transaction removes. It takes a few milliseconds. */
const STEP = 500

/**
 * The messages of erased histories that are still to be removed. A long history is removed in steps, so that no other
 * write waits long. The oldest messages go first and new ones replace what is in their way, so every message that is left
 * has a higher `seq` than its conversation. Readers therefore read no further than the conversation's `seq`.
 * @see docs/decisions/0048-erasing.md
 */
export class ErasedMessages {
  readonly #queue: WriteQueue
  readonly #sql
  /** Conversations that may have such messages. Those without any do no harm, so none is ever taken out. */
  readonly #suspects: Set<string>

  constructor(db: DatabaseSync, queue: WriteQueue) {
    this.#queue = queue
    const marked = db.prepare('SELECT clientId FROM erasing').all() as { clientId: string }[]
    this.#suspects = new Set(marked.map(({ clientId }) => clientId))
    this.#sql = {
      mark: db.prepare('INSERT OR IGNORE INTO erasing (clientId) VALUES (?)'),
      marked: db.prepare('SELECT clientId FROM erasing LIMIT 1'),
      unmark: db.prepare('DELETE FROM erasing WHERE clientId = ?'),
      oldest: db.prepare(
        `SELECT min(seq) AS seq FROM messages
         WHERE clientId = ?1 AND seq > (SELECT seq FROM conversations WHERE clientId = ?1)`,
      ),
      remove: db.prepare('DELETE FROM messages WHERE clientId = ? AND seq BETWEEN ? AND ?'),
      removeInTheWay: db.prepare(
        'DELETE FROM messages WHERE clientId = ? AND epoch <> ? AND (seq = ? OR nonce = ?)',
      ),
    }
  }

  /** Begins to remove a history that ends with `seq`. It runs in the transaction of the erase. */
  begin(clientId: string, seq: number): void {
    this.#sql.remove.run(clientId, 1, STEP)
    if (seq <= STEP) return
    this.#sql.mark.run(clientId)
    this.#suspects.add(clientId)
  }

  /** Removes what has the `seq` or the nonce of a new message. It runs in the transaction of that message. */
  makeRoom(clientId: string, epoch: string, seq: number, nonce: string): void {
    if (this.#suspects.has(clientId)) this.#sql.removeInTheWay.run(clientId, epoch, seq, nonce)
  }

  /** Removes all that is left, also what an interrupted erase has left behind. */
  async finish(): Promise<void> {
    while (this.#sql.marked.get() !== undefined) await this.#queue.write(() => this.#step(), always)
  }

  #step(): void {
    const marked = this.#sql.marked.get() as { clientId: string } | undefined
    if (marked === undefined) return
    const { clientId } = marked
    const { seq } = this.#sql.oldest.get(clientId) as { seq: number | null }
    if (seq === null) this.#sql.unmark.run(clientId)
    else this.#sql.remove.run(clientId, seq, seq + STEP - 1)
  }
}
