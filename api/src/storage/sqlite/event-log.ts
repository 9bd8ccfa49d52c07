import type { DatabaseSync } from 'node:sqlite'
import type { NewEvent } from '../port/events.ts'
import { EVENTS_BEGUN } from '../tables/events.ts'

/** Numbers events in the transaction of what they tell of. Only for jobs of the write queue. */
export class EventLog {
  readonly #sql
  /** The newest number; null: events have not begun; undefined: not read yet. */
  #last: number | null | undefined

  constructor(db: DatabaseSync) {
    this.#sql = {
      begun: db.prepare('SELECT 1 FROM documents WHERE name = ?'),
      begin: db.prepare("INSERT OR IGNORE INTO documents (name, version, value) VALUES (?, 1, '{}')"),
      last: db.prepare('SELECT coalesce(max(number), 0) AS last FROM events'),
      insert: db.prepare('INSERT INTO events (_id, number, type, at, clientId, n) VALUES (?, ?, ?, ?, ?, ?)'),
    }
  }

  begin(): void {
    this.#sql.begin.run(EVENTS_BEGUN)
    this.forget()
  }

  /** `events` is called only once events have begun. */
  add(events: () => readonly NewEvent[]): void {
    if (this.#last === undefined) this.#last = this.#readLast()
    if (this.#last === null) return
    for (const { _id, type, at, clientId, n } of events()) {
      this.#last += 1
      this.#sql.insert.run(_id, this.#last, type, at, clientId, n)
    }
  }

  /** A transaction failed, or another process wrote. */
  forget(): void {
    this.#last = undefined
  }

  #readLast(): number | null {
    if (this.#sql.begun.get(EVENTS_BEGUN) === undefined) return null
    return (this.#sql.last.get() as { last: number }).last
  }
}
