/** Something due at a time. The store has one job for each key. Times are milliseconds since 1970 UTC. */
export interface JobRecord {
  key: string
  /** Names the handler. */
  kind: string
  /** The conversation that it is about: erasing removes the job. Null: none. */
  clientId: string | null
  dueAt: number
  /** 0: it is free. Else a node has claimed it, and each renewal changes the value, which no other node takes for a time. */
  leaseUntil: number
  /** Claims since it was last finished or rescheduled by its handler. */
  attempts: number
  /** Changes when the job is scheduled again while it is claimed. */
  revision: number
  /** JSON of the handler's own. */
  data: unknown
}

export interface NewJob {
  key: string
  kind: string
  clientId: string | null
  dueAt: number
  /** Only of a new job: an existing one keeps its own. */
  data: unknown
}

export interface JobRepository {
  /** Creates the job. An existing one becomes due at the earlier of the two times. */
  schedule(job: NewJob): Promise<void>
  /**
   * Claims due jobs that are free, the earliest of a kind first. `limits`: how many of each kind. Judged by the write
   * itself: of two nodes, one gets a job.
   */
  claim(options: {
    now: number
    leaseUntil: number
    limits: Readonly<Record<string, number>>
  }): Promise<JobRecord[]>
  /** Due jobs of these kinds that a node has claimed, the earliest of a kind first, at most 1,000 of each. */
  claimed(now: number, kinds: readonly string[]): Promise<JobRecord[]>
  /** Claims a job that another node has claimed. Null when that node has renewed or finished it meanwhile. */
  takeOver(claimed: JobRecord, leaseUntil: number): Promise<JobRecord | null>
  /**
   * Ends a claim: removes the job, or with `next` keeps it until then. When it was scheduled again since the claim, it
   * stays and is due at `next.dueAt` or `now`, whichever is earlier. False when the claim was lost.
   */
  finish(
    claimed: JobRecord,
    now: number,
    next?: { dueAt: number; data: unknown; attempts: number },
  ): Promise<boolean>
  /** Moves the end of a claim. False when it was lost. */
  renew(claimed: JobRecord, leaseUntil: number): Promise<boolean>
  /** Stores the handler's data within a claim, so that another node continues from there. False when it was lost. */
  save(claimed: JobRecord, data: unknown): Promise<boolean>
  /** Removes a job, claimed or not. */
  cancel(key: string): Promise<void>
}
