import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { cannotStore, type DatabaseHealth } from './database-health.ts'

interface Job {
  run: () => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/**
 * Commits together what arrives in one turn of the event loop: one fsync for all of it. From BEGIN to COMMIT
 * nothing else of this process runs, so that nobody reads what may be rolled back. A job settles only after its
 * commit. When one fails, everything is rolled back and each is run in a transaction of its own: the one that
 * cannot be stored fails alone.
 *
 * Measured with 64 messages in flight: about five times the messages a second of a commit for each, and no
 * latency added when idle, because the turn ends at once (`npm run bench`).
 */
export class WriteQueue {
  readonly #db: DatabaseSync
  readonly #health: DatabaseHealth
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  #jobs: Job[] = []
  #closed = false

  constructor(db: DatabaseSync, health: DatabaseHealth) {
    this.#db = db
    this.#health = health
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
  }

  /** `run` may be called twice and must only touch the database. */
  write<T>(run: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) return reject(cannotStore())
      if (this.#jobs.length === 0) setImmediate(() => this.flush())
      this.#jobs.push({ run, resolve, reject })
    })
  }

  /** Commits what waits, now. */
  flush(): void {
    const jobs = this.#jobs
    if (jobs.length === 0) return
    this.#jobs = []
    let results: unknown[]
    try {
      results = this.#transaction(() => jobs.map((job) => job.run()))
    } catch (error) {
      if (jobs.length === 1) jobs[0]?.reject(error)
      else for (const job of jobs) this.#alone(job)
      return
    }
    for (const [index, job] of jobs.entries()) job.resolve(results[index] as never)
  }

  close(): void {
    this.flush()
    this.#closed = true
  }

  #alone(job: Job): void {
    try {
      job.resolve(this.#transaction(job.run) as never)
    } catch (error) {
      job.reject(error)
    }
  }

  #transaction<T>(run: () => T): T {
    try {
      this.#begin.run()
      const result = run()
      this.#commit.run()
      this.#health.writeEnded()
      return result
    } catch (error) {
      this.#health.writeEnded(error)
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      throw error
    }
  }
}
