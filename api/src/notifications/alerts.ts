import { messageNotification } from '@proctorpass/shared/notification-text'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { dueAfter } from '../jobs/due.ts'
import type { JobHandler, JobRun } from '../jobs/jobs.ts'
import type { NewJob } from '../storage/model/jobs.ts'
import type { Storage } from '../storage/model/storage.ts'
import { isActiveAdmin, type UserRecord } from '../storage/model/users.ts'
import type { Bounds, Notified } from './bounds.ts'
import {
  type Alert,
  attemptsOf,
  failedBy,
  forgetUntried,
  type Progress,
  type PushToDevices,
} from './push-to-devices.ts'
import { readUnread, type UnreadMessages } from './unread-messages.ts'

export const ALERT_KIND = 'alert'
/** A message that is read sooner than this notifies no admin. */
const FIRST_AFTER_MS = 10_000
/**
 * How long before the attempt that schedules a message's job the message may have been stored: the process that stored
 * it may have died, and its sender repeats it.
 */
const REPEATED_WITHIN_MS = 2 * 60_000
/** Messages older than this notify no admin. No escalation takes this long. */
export const ALERTS_END_MS = 48 * 60 * 60 * 1_000
/** How long an unread conversation's job stays when nothing is due, because it holds which admins were notified. */
const KEEP_MS = 60 * 60 * 1_000

/**
 * Creates a conversation's only job for its unread messages. Everything but the job's progress is derived from the
 * store. A new job is about the messages from `since` on: older ones no longer wait for their first notification.
 * `from` is the hash of the visitor's network address, or null if the address is unknown.
 */
export function alertJob(clientId: string, since: number, from: string | null): NewJob {
  const data: Pick<AlertData, 'since' | 'from'> = { since: since - REPEATED_WITHIN_MS, from }
  return { key: `alert:${clientId}`, kind: ALERT_KIND, clientId, dueAt: since + FIRST_AFTER_MS, data }
}

type Stage = 'first' | 'others' | 'mail'

/** The seq of the newest message for which a stage is over, by stage. */
interface AlertData extends Progress, Notified, Record<Stage, number> {
  since: number
  epoch: string
}

/** The oldest message for which a stage is not over, and when the stage begins for that message, by stage. */
type Due = Record<Stage, { seq: number; dueAt: number } | null>

interface AlertsDeps {
  storage: Pick<Storage, 'messages' | 'conversations' | 'users'>
  pushToDevices: PushToDevices
  escalation: () => Promise<Settings['escalation']>
  /** Says whether a visible tab of the admin shows the conversation, on any node. */
  isViewing: (userId: string, clientId: string) => boolean
  bounds: Bounds
  /** Schedules a summary of all waiting conversations, for a conversation that may not notify on its own. */
  scheduleSummary: () => Promise<void>
  /**
   * Schedules the mail to admins about one conversation or, if given null, about all that wait. Null if no mail is
   * configured.
   */
  scheduleMail: ((clientId: string | null) => Promise<void>) | null
  now: () => number
}

/**
 * Notifies the assignee first, or every admin on duty if that reaches no device; then all admins on duty; then sends
 * them a mail.
 */
export function createAlerts(deps: AlertsDeps): JobHandler {
  const { storage, pushToDevices, escalation, isViewing, bounds, scheduleSummary, scheduleMail, now } = deps

  async function dueOf(unread: UnreadMessages, data: AlertData): Promise<Due> {
    const { afterSeconds, thenMailMinutes } = await escalation()
    const after = async (stage: Stage, ms: number) => {
      const message = await unread.firstAfter(data[stage])
      return message === null ? null : { seq: message.seq, dueAt: dueAfter(message.createdAt, ms, now()) }
    }
    return {
      first: await after('first', FIRST_AFTER_MS),
      others: await after('others', afterSeconds * 1_000),
      mail:
        scheduleMail === null || thenMailMinutes === null
          ? null
          : await after('mail', thenMailMinutes * 60_000),
    }
  }

  /** Resolves to whether everything that is due is over. */
  async function pushDue(
    { job, now: startedAt, save }: JobRun,
    { unread, onDuty, data }: Found,
  ): Promise<boolean> {
    const clientId = job.clientId ?? ''
    const before = { ...data.failed }
    const { newest, conversation } = unread
    const { seq } = newest
    const alert: Alert = {
      seq,
      payloadFor: ({ previews }) => messageNotification(newest, conversation?.visitor.name ?? null, previews),
    }
    async function push(to: readonly UserRecord[], since: number) {
      const userIds = to.map(({ _id }) => _id).filter((userId) => !isViewing(userId, clientId))
      return {
        ...(await pushToDevices({ userIds, since, alert, progress: data, save: () => save(data) })),
        viewed: userIds.length < to.length,
      }
    }

    const { first, others } = await dueOf(unread, data)
    const isDue = first !== null && first.dueAt <= now()
    if (isDue && !(await bounds.mayRing(clientId, data))) {
      await scheduleSummary()
      data.first = seq
      data.others = seq
    } else if (isDue) {
      const assignee = onDuty.filter(({ _id }) => _id === conversation?.inbox.assigneeId)
      const { devices, viewed, isOver } = await push(assignee, first.seq)
      if (!isOver) return false
      if (devices === 0 && !viewed && !(await push(onDuty, first.seq)).isOver) return false
      data.first = seq
      data.rings += 1
    }
    if (others !== null && others.seq > data.others && others.dueAt <= now()) {
      if (!(await push(onDuty, others.seq)).isOver) return false
      data.others = seq
    }
    const again = new Set(failedBy(data, now()))
    if (again.size === 0) return true
    const { isOver } = await push(
      onDuty.filter(({ _id }) => again.has(_id)),
      seq,
    )
    // A failed push is not retried if its admin has seen the conversation in the meantime, went off duty, or may no
    // longer sign in.
    if (isOver) forgetUntried(data, before, Math.min(startedAt, now()))
    return isOver
  }

  /** Schedules the mail once it is due. A message that came before mails were switched on is not mailed later. */
  async function mailDue(clientId: string, { unread, data }: Found): Promise<void> {
    const { mail } = await dueOf(unread, data)
    if (mail !== null && mail.dueAt > now()) return
    if (mail !== null) {
      const isOwn = await bounds.mayMail(clientId, data)
      await scheduleMail?.(isOwn ? clientId : null)
      if (isOwn) data.mails += 1
    }
    data.mail = unread.newest.seq
  }

  return async (run) => {
    const clientId = run.job.clientId ?? ''
    const { since } = run.job.data as Pick<AlertData, 'since'>
    const at = now()
    const unread = await readUnread(storage, clientId, {
      since: Math.max(since, at - ALERTS_END_MS),
      now: at,
    })
    if (unread === null) return null
    const data = dataOf(run.job.data as AlertData, unread)
    if (!unread.isWaiting) {
      const { seq } = unread.newest
      return { dueAt: at + KEEP_MS, data: { ...data, first: seq, others: seq, mail: seq, failed: {} } }
    }
    const onDuty = (await storage.users.list()).filter((user) => isActiveAdmin(user) && user.onDuty)
    const found = { unread, onDuty, data }
    const isOver = await pushDue(run, found)
    await mailDue(clientId, found)
    return { dueAt: isOver ? await nextTime(unread, data) : now(), data }
  }

  async function nextTime(unread: UnreadMessages, data: AlertData): Promise<number> {
    const stages = Object.values(await dueOf(unread, data)).flatMap((due) => due?.dueAt ?? [])
    return Math.min(...stages, ...attemptsOf(data), now() + KEEP_MS)
  }
}

interface Found {
  unread: UnreadMessages
  onDuty: readonly UserRecord[]
  data: AlertData
}

function dataOf(stored: AlertData, { epoch, readSeq }: UnreadMessages): AlertData {
  const { since, from = null } = stored
  const fresh = { since, from, epoch, rings: 0, mails: 0 }
  if (stored.epoch !== epoch) return { ...fresh, first: 0, others: 0, mail: 0, done: {}, failed: {} }
  // The admins have read all that this job notified about, so it counts from zero again.
  return readSeq >= stored.first ? { ...stored, ...fresh } : stored
}
