import { messageNotification } from '@proctorpass/shared/notification-text'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import type { JobHandler, JobRun } from '../jobs/jobs.ts'
import type { MailAdmins } from '../mail/admin-mails.ts'
import { isActiveAdmin } from '../storage/active-admin.ts'
import type { NewJob } from '../storage/jobs.ts'
import type { UserRecord } from '../storage/records.ts'
import type { ConversationRecord, Storage } from '../storage/storage.ts'
import { type Alert, attemptsOf, type Delivery, failedBy, forgetFailed, type Progress } from './delivery.ts'
import { readUnread, type UnreadMessages } from './unread-messages.ts'

export const ALERT_KIND = 'alert'
/** A message that is read sooner notifies no one. */
const FIRST_AFTER_MS = 10_000
/** Older messages notify no one: longer than any escalation takes. */
export const ALERTS_END_MS = 48 * 60 * 60 * 1_000
/** How long the job of an unread conversation stays without anything due: it knows who was notified. */
const KEEP_MS = 60 * 60 * 1_000
const MAIL_PAUSE_MS = 60_000
const MAIL_PAUSE_MAX_MS = 60 * 60 * 1_000

/** The one job of a conversation with unread messages. Everything but its progress is derived from the store. */
export function alertJob(clientId: string, messageAt: number): NewJob {
  const dueAt = messageAt + FIRST_AFTER_MS
  return { key: `alert:${clientId}`, kind: ALERT_KIND, clientId, dueAt, data: null }
}

type Stage = 'first' | 'others' | 'mail'

/** The stages as the seq of the newest message for which each is over. */
interface AlertData extends Progress, Record<Stage, number> {
  epoch: string
  mailAttempts: number
  /** After a failed mail, not before that time. */
  mailAt: number
}

/** The oldest message for which a stage is not over, and when it begins. */
type Due = Record<Stage, { seq: number; dueAt: number } | null>

interface AlertsDeps {
  storage: Pick<Storage, 'messages' | 'conversations' | 'users'>
  delivery: Delivery
  escalation: () => Promise<Settings['escalation']>
  /** Whether a visible tab of the admin shows the conversation, on any node. */
  isViewing: (userId: string, clientId: string) => boolean
  /** Null: no mail is configured. */
  mailAdmins: MailAdmins | null
  now: () => number
}

/** First the assignee, or every admin on duty; then all on duty; then a mail to them. */
export function createAlerts(deps: AlertsDeps): JobHandler {
  const { storage, delivery, escalation, isViewing, mailAdmins, now } = deps

  async function dueOf(unread: UnreadMessages, data: AlertData): Promise<Due> {
    const { afterSeconds, thenMailMinutes } = await escalation()
    const after = async (stage: Stage, ms: number) => {
      const message = await unread.firstAfter(data[stage])
      return message === null ? null : { seq: message.seq, dueAt: Date.parse(message.createdAt) + ms }
    }
    const isMailed = mailAdmins !== null && thenMailMinutes !== null
    const mail = isMailed ? await after('mail', thenMailMinutes * 60_000) : null
    return {
      first: await after('first', FIRST_AFTER_MS),
      others: await after('others', afterSeconds * 1_000),
      mail: mail === null ? null : { ...mail, dueAt: Math.max(mail.dueAt, data.mailAt) },
    }
  }

  /** Answers whether any push was due, and whether all are over. */
  async function pushDue(
    { job, save }: JobRun,
    { unread, conversation, users, data }: Found,
  ): Promise<{ pushed: boolean; isOver: boolean }> {
    const clientId = job.clientId ?? ''
    const { seq } = unread.newest
    const alert: Alert = {
      seq,
      payloadFor: ({ previews }) =>
        messageNotification(unread.newest, conversation?.visitor.name ?? null, previews),
    }
    async function push(to: readonly UserRecord[], since: number) {
      const userIds = to.map(({ _id }) => _id).filter((userId) => !isViewing(userId, clientId))
      return {
        ...(await delivery.push({ userIds, since, alert, progress: data, save: () => save(data) })),
        viewed: userIds.length < to.length,
      }
    }

    const onDuty = users.filter((user) => user.onDuty)
    const { first, others } = await dueOf(unread, data)
    let pushed = false
    if (first !== null && first.dueAt <= now()) {
      pushed = true
      const assignee = onDuty.filter(({ _id }) => _id === conversation?.inbox.assigneeId)
      const { devices, viewed, isOver } = await push(assignee, first.seq)
      if (!isOver) return { pushed, isOver }
      if (devices === 0 && !viewed && !(await push(onDuty, first.seq)).isOver)
        return { pushed, isOver: false }
      data.first = seq
    }
    if (others !== null && others.dueAt <= now()) {
      pushed = true
      if (!(await push(onDuty, others.seq)).isOver) return { pushed, isOver: false }
      data.others = seq
    }
    const again = new Set(failedBy(data, now()))
    if (again.size === 0) return { pushed, isOver: true }
    const { isOver } = await push(
      users.filter(({ _id }) => again.has(_id)),
      seq,
    )
    // Who sees the conversation meanwhile, or may not sign in anymore, is not tried again.
    if (isOver) for (const userId of failedBy(data, now())) forgetFailed(data, userId)
    return { pushed: true, isOver }
  }

  async function mailDue(clientId: string, { unread, users, data }: Found): Promise<void> {
    const { mail } = await dueOf(unread, data)
    if (mail === null || mail.dueAt > now() || mailAdmins === null) return
    const { seq } = unread.newest
    const emails = users.filter((user) => user.onDuty).map(({ email }) => email)
    if ((await mailAdmins({ clientId, epoch: unread.epoch, seq, emails })) === 'failed') {
      data.mailAt = now() + Math.min(MAIL_PAUSE_MS * 2 ** data.mailAttempts, MAIL_PAUSE_MAX_MS)
      data.mailAttempts += 1
    } else {
      Object.assign(data, { mail: seq, mailAt: 0, mailAttempts: 0 })
    }
  }

  return async (run) => {
    const clientId = run.job.clientId ?? ''
    const unread = await readUnread(storage.messages, clientId, now() - ALERTS_END_MS)
    if (unread === null) return null
    const data = dataOf(run.job.data, unread.epoch)
    const conversation = await storage.conversations.record(clientId)
    if (conversation?.inbox.status === 'resolved') {
      const { seq } = unread.newest
      return { dueAt: now() + KEEP_MS, data: { ...data, first: seq, others: seq, mail: seq, failed: {} } }
    }
    const users = (await storage.users.list()).filter(isActiveAdmin)
    const found = { unread, conversation, users, data }
    const { pushed, isOver } = await pushDue(run, found)
    // Apart, so that each run is short.
    if (!pushed) await mailDue(clientId, found)
    return { dueAt: isOver ? await nextTime(unread, data) : now(), data }
  }

  async function nextTime(unread: UnreadMessages, data: AlertData): Promise<number> {
    const stages = Object.values(await dueOf(unread, data)).flatMap((due) => due?.dueAt ?? [])
    return Math.min(...stages, ...attemptsOf(data), now() + KEEP_MS)
  }
}

interface Found {
  unread: UnreadMessages
  conversation: ConversationRecord | null
  /** Those who may sign in. */
  users: readonly UserRecord[]
  data: AlertData
}

function dataOf(stored: unknown, epoch: string): AlertData {
  const known = stored as AlertData | null
  if (known?.epoch === epoch) return known
  return { epoch, first: 0, others: 0, mail: 0, mailAttempts: 0, mailAt: 0, done: {}, failed: {} }
}
