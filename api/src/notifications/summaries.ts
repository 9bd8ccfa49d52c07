import { summaryNotification } from '@proctorpass/shared/notification-text'
import type { JobHandler } from '../jobs/jobs.ts'
import type { NewJob } from '../storage/model/jobs.ts'
import type { Storage } from '../storage/model/storage.ts'
import { isActiveAdmin } from '../storage/model/users.ts'
import { attemptsOf, failedBy, forgetUntried, type Progress, type PushToDevices } from './push-to-devices.ts'

export const SUMMARY_KIND = 'summary'
/** Conversations that begin within this time share one summary. */
const AFTER_MS = 10_000
const EVERY_MS = 10 * 60_000
/** A summary counts no more conversations than this. */
const COUNTED_MAX = 100

/** How many visitors wait in open, unread conversations. If `more` is true, there are more than `count`. */
export interface Waiting {
  count: number
  more: boolean
}

export async function countWaiting({ conversations }: Pick<Storage, 'conversations'>): Promise<Waiting> {
  const filter = { statuses: ['open'], unread: true } as const
  const page = await conversations.list({ limit: COUNTED_MAX, filter })
  // Those who wait come first in the list.
  const { length } = page.conversations.filter(({ waitingSince }) => waitingSince !== null)
  return { count: length, more: length === page.conversations.length && page.next !== null }
}

interface SummaryData extends Progress {
  /** When the last summary began, and the job's revision at that time. */
  at: number
  revision: number
  isOver: boolean
}

/** Creates the only job for all conversations that do not notify on their own. */
export function summaryJob(now: number): NewJob {
  const data: SummaryData = { at: 0, revision: -1, isOver: true, done: {}, failed: {} }
  return { key: SUMMARY_KIND, kind: SUMMARY_KIND, clientId: null, dueAt: now + AFTER_MS, data }
}

interface SummariesDeps {
  storage: Pick<Storage, 'conversations' | 'users'>
  pushToDevices: PushToDevices
  now: () => number
}

/**
 * Notifies all admins on duty about the number of waiting visitors, at most every ten minutes, no matter how often it
 * is scheduled.
 */
export function createSummaries({ storage, pushToDevices, now }: SummariesDeps): JobHandler {
  return async ({ job, now: startedAt, save }) => {
    let data = job.data as SummaryData
    if (Math.abs(now() - data.at) >= EVERY_MS) {
      if (job.revision === data.revision) return null
      data = { at: now(), revision: job.revision, isOver: false, done: {}, failed: {} }
      await save(data)
    }
    const endsAt = data.at + EVERY_MS
    const hasFailed = failedBy(data, now()).length > 0
    if (data.isOver && !hasFailed) return { dueAt: Math.min(...attemptsOf(data), endsAt), data }
    const waiting = await countWaiting(storage)
    const onDuty = (await storage.users.list()).filter((user) => isActiveAdmin(user) && user.onDuty)
    const payload = summaryNotification(waiting, `waiting-${data.at}`)
    const before = { ...data.failed }
    const { isOver } = await pushToDevices({
      userIds: waiting.count === 0 ? [] : onDuty.map(({ _id }) => _id),
      since: 1,
      alert: { seq: 1, payloadFor: () => payload },
      progress: data,
      save: () => save(data),
    })
    data.isOver = isOver
    if (isOver) forgetUntried(data, before, Math.min(startedAt, now()))
    return { dueAt: isOver ? Math.min(...attemptsOf(data), endsAt) : now(), data }
  }
}
