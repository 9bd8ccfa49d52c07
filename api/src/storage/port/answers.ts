/** How long a visitor waited for an answer. It says nothing of who they are. Times are in milliseconds. */
export interface AnswerRecord {
  _id: string
  /** When the answer came, since 1970 UTC. */
  at: number
  waitedMs: number
}

export interface AnswerRepository {
  add(answer: Omit<AnswerRecord, '_id'>): Promise<void>
  /** How long visitors waited for the newest `limit` answers since then. */
  waits(since: number, limit: number): Promise<number[]>
  /** Removes the answers before that time. */
  removeBefore(at: number): Promise<void>
}
