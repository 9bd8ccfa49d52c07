import type { NewJob } from '../model/jobs.ts'
import type { Collections } from './collections.ts'
import { isDuplicate } from './outage.ts'

/** Schedules a job. `epoch` names the history that the job is about, by default its conversation's present one. */
export type Schedule = (job: NewJob, epoch?: string) => Promise<void>

export function openScheduling({ jobs, conversations }: Collections): Schedule {
  async function epochOf(clientId: string | null): Promise<string | null> {
    if (clientId === null) return null
    return (await conversations.findOne({ _id: clientId }, { projection: { epoch: 1 } }))?.epoch ?? null
  }

  /** Resolves to false when another call created the job at the same time. */
  async function upserted({ key, kind, clientId, dueAt, data }: NewJob, epoch: string | null) {
    const again = { $min: { dueAt }, $inc: { revision: 1 } }
    if ((await jobs.updateOne({ _id: key, epoch }, again)).matchedCount === 1) return true
    const free = { leaseUntil: 0, attempts: 0, revision: 0, data: JSON.stringify(data) }
    const fresh = { kind, clientId, epoch, dueAt, ...free }
    // The replaced job was left by an erased history.
    if ((await jobs.replaceOne({ _id: key, epoch: { $ne: epoch } }, fresh)).matchedCount === 1) return true
    try {
      await jobs.insertOne({ _id: key, ...fresh })
      return true
    } catch (error) {
      if (isDuplicate(error)) return false
      throw error
    }
  }

  return async (job, epoch) => {
    const known = epoch ?? (await epochOf(job.clientId))
    // A job is removed only when it ends, so a second attempt either finds it or creates it again.
    while (!(await upserted(job, known)));
  }
}
