import type { DatabaseSync } from 'node:sqlite'
import { EVENTS_BEGUN, type EventRecord, type NewEvent } from '../model/events.ts'

/** Numbers events in the transaction that stores what they report. Only jobs of the write queue may add events. */
export class EventLog {
  readonly #sql
  /** The newest number. It is null until events have begun, and undefined until it is read. */
  #last: number | null | undefined

  constructor(db: DatabaseSync) {
    this.#sql = {
      begun: db.prepare('SELECT 1 FROM documents WHERE name = ?'),
      begin: db.prepare("INSERT OR IGNORE INTO documents (name, version, value) VALUES (?, 1, '{}')"),
      last: db.prepare('SELECT coalesce(max(number), 0) AS last FROM events'),
      // The query looks into the index once for each block of 128 numbers.
      ofConversation: db.prepare(
        `WITH RECURSIVE blocks (block) AS (
           SELECT CAST(:after AS INTEGER) / 128
           UNION ALL SELECT block + 1 FROM blocks WHERE block < (SELECT max(number) / 128 FROM events)
         )
         SELECT events.* FROM blocks CROSS JOIN events ON number / 128 = block AND clientId = :clientId
         WHERE number > :after ORDER BY number LIMIT :limit`,
      ),
      insert: db.prepare('INSERT INTO events (_id, number, type, at, clientId, n) VALUES (?, ?, ?, ?, ?, ?)'),
    }
  }

  begin(): void {
    this.#sql.begin.run(EVENTS_BEGUN)
    this.forget()
  }

  /** Stores events under the next numbers. Does not call `events` before events have begun. */
  add(events: () => readonly NewEvent[]): void {
    if (this.#last === undefined) this.#last = this.#readLast()
    if (this.#last === null) return
    for (const { _id, type, at, clientId, n } of events()) {
      this.#last += 1
      this.#sql.insert.run(_id, this.#last, type, at, clientId, n)
    }
  }

  /** Returns one conversation's events in the order of their numbers, after the number `after`. */
  ofConversation(clientId: string, after: number, limit: number): EventRecord[] {
    const found = this.#sql.ofConversation.all({ clientId, after, limit }) as unknown as EventRecord[]
    return found.map((row) => ({ ...row }))
  }

  /** Drops the number from memory, because a transaction failed or another process wrote. */
  forget(): void {
    this.#last = undefined
  }

  #readLast(): number | null {
    if (this.#sql.begun.get(EVENTS_BEGUN) === undefined) return null
    return (this.#sql.last.get() as { last: number }).last
  }
}
