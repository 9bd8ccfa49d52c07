import type { JobRecord, JobRepository, NewJob } from '../port/jobs.ts'
import type { MongoConnection } from './connection.ts'
import type { Collections, JobDoc } from './documents.ts'
import { isDuplicate } from './outage.ts'

export interface MongoJobs extends JobRepository {
  /** `epoch`: the history that the job is about, by default the one that its conversation has now. */
  schedule(job: NewJob, epoch?: string): Promise<void>
}

export function openJobs(
  { jobs, conversations }: Collections,
  majority: MongoConnection['majority'],
): MongoJobs {
  const claimOf = ({ key, leaseUntil, attempts }: JobRecord) => ({ _id: key, leaseUntil, attempts })

  async function epochOf(clientId: string | null): Promise<string | null> {
    if (clientId === null) return null
    return (await conversations.findOne({ _id: clientId }, { projection: { epoch: 1 } }))?.epoch ?? null
  }

  /** False when another call created the job at the same time. */
  async function upserted({ key, kind, clientId, dueAt, data }: NewJob, epoch: string | null) {
    const again = { $min: { dueAt }, $inc: { revision: 1 } }
    if ((await jobs.updateOne({ _id: key, epoch }, again)).matchedCount === 1) return true
    const free = { leaseUntil: 0, attempts: 0, revision: 0, data: JSON.stringify(data) }
    const fresh = { kind, clientId, epoch, dueAt, ...free }
    // Left by an erased history.
    if ((await jobs.replaceOne({ _id: key, epoch: { $ne: epoch } }, fresh)).matchedCount === 1) return true
    try {
      await jobs.insertOne({ _id: key, ...fresh })
      return true
    } catch (error) {
      if (isDuplicate(error)) return false
      throw error
    }
  }

  return {
    async schedule(job, epoch) {
      const known = epoch ?? (await epochOf(job.clientId))
      // A job is removed only by its end, so that the second update finds it, or it is created again.
      while (!(await upserted(job, known)));
    },

    async claim({ now, leaseUntil, limits }) {
      const claimed: JobRecord[] = []
      for (const [kind, limit] of Object.entries(limits)) {
        // To MongoDB, 0 is no limit.
        if (limit === 0) continue
        const due = { kind, dueAt: { $lte: now }, leaseUntil: { $lte: now } }
        const found = await jobs.find(due, majority).sort({ dueAt: 1 }).limit(limit).toArray()
        for (const { _id, attempts } of found) {
          const job = await jobs.findOneAndUpdate(
            // Another node may have finished it meanwhile, until a later time.
            { ...due, _id, attempts },
            { $set: { leaseUntil }, $inc: { attempts: 1 } },
            { returnDocument: 'after' },
          )
          if (job !== null) claimed.push(toJob(job))
        }
      }
      return claimed
    },

    async finish(claimed, now, next) {
      const claim = claimOf(claimed)
      const { revision } = claimed
      if (next === undefined) {
        const { deletedCount } = await jobs.deleteOne({ ...claim, revision })
        if (deletedCount === 1) return true
      }
      const { dueAt = now, attempts = 0 } = next ?? {}
      const data = next === undefined ? {} : { data: JSON.stringify(next.data) }
      const free = { leaseUntil: 0, attempts, ...data }
      if (next !== undefined) {
        const kept = await jobs.updateOne({ ...claim, revision }, { $set: { ...free, dueAt } })
        if (kept.matchedCount === 1) return true
      }
      const again = await jobs.updateOne(claim, { $set: { ...free, dueAt: Math.min(dueAt, now) } })
      return again.matchedCount === 1
    },

    async renew(claimed, leaseUntil) {
      const { matchedCount } = await jobs.updateOne(claimOf(claimed), { $set: { leaseUntil } })
      return matchedCount === 1
    },

    async save(claimed, data) {
      const { matchedCount } = await jobs.updateOne(claimOf(claimed), {
        $set: { data: JSON.stringify(data) },
      })
      return matchedCount === 1
    },

    async cancel(key) {
      await jobs.deleteOne({ _id: key })
    },
  }
}

function toJob({ _id, data, epoch: _, ...job }: JobDoc): JobRecord {
  return { key: _id, ...job, data: JSON.parse(data) as unknown }
}
