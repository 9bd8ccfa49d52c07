import { randomUUID } from 'node:crypto'
import type { JobHandler, JobResult, JobRun } from '../jobs/jobs.ts'
import type { MailAdmins } from '../mail/admin-mails.ts'
import type { NewJob } from '../storage/model/jobs.ts'
import type { Storage } from '../storage/model/storage.ts'
import { isActiveAdmin } from '../storage/model/users.ts'
import { ALERTS_END_MS } from './alerts.ts'
import { countWaiting } from './summaries.ts'
import { readUnread } from './unread-messages.ts'

export const WAITING_MAIL_KIND = 'waiting-mail'
const PAUSE_MS = 60_000
const PAUSE_MAX_MS = 60 * 60 * 1_000
const SUMMARY_EVERY_MS = 60 * 60 * 1_000

interface WaitingMailData {
  failures: number
}

interface ConversationMailData extends WaitingMailData {
  /** The last mail's ID, if one was sent, and the job's revision at that time. */
  mailed?: { id: string; revision: number }
}

interface SummaryMailData extends WaitingMailData {
  /** The next mail's ID, which stays the same when the mail is retried. */
  id: string
  /** When the last summary was mailed, and the job's revision at that time. */
  at: number
  revision: number
}

/**
 * Creates the mail's own job, so that a mail server that hangs delays no push. If `clientId` is null, the mail is a
 * summary of all waiting conversations.
 */
export function waitingMailJob(clientId: string | null, dueAt: number): NewJob {
  const job = { kind: WAITING_MAIL_KIND, clientId, dueAt }
  if (clientId !== null) {
    return { ...job, key: `waiting-mail:${clientId}`, data: { failures: 0 } satisfies WaitingMailData }
  }
  const data: SummaryMailData = { failures: 0, id: randomUUID(), at: 0, revision: -1 }
  return { ...job, key: WAITING_MAIL_KIND, data }
}

interface WaitingMailsDeps {
  storage: Pick<Storage, 'messages' | 'conversations' | 'users'>
  mailAdmins: MailAdmins
  now: () => number
}

/**
 * Mails the admins on duty once that a visitor waits, unless the visitor no longer waits; or, at most hourly, how many
 * visitors do.
 */
export function createWaitingMails({ storage, mailAdmins, now }: WaitingMailsDeps): JobHandler {
  const emailsOnDuty = async () =>
    (await storage.users.list())
      .filter((user) => isActiveAdmin(user) && user.onDuty)
      .map(({ email }) => email)
  const pauseAfter = (failures: number) => Math.min(PAUSE_MS * 2 ** failures, PAUSE_MAX_MS)

  async function mailOf(clientId: string, { job }: JobRun): Promise<JobResult> {
    const data = job.data as ConversationMailData
    const { failures, mailed } = data
    // The job stayed only to remember the mail.
    if (failures === 0 && job.revision === mailed?.revision) return null
    const at = now()
    const unread = await readUnread(storage, clientId, { since: at - ALERTS_END_MS, now: at })
    if (unread === null || !unread.isWaiting) return null
    const { epoch, newest } = unread
    const mail = { clientId, id: `waiting ${clientId} ${epoch} ${newest.seq}` }
    // A message that came between the alert and its mail makes another alert, and the mail has told of it.
    if (mail.id === mailed?.id) return null
    if ((await mailAdmins(mail, await emailsOnDuty())) === 'failed') {
      return { dueAt: now() + pauseAfter(failures), data: { ...data, failures: failures + 1 } }
    }
    const next: ConversationMailData = { failures: 0, mailed: { id: mail.id, revision: job.revision } }
    return { dueAt: now() + ALERTS_END_MS, data: next }
  }

  async function summaryMail({ job }: JobRun): Promise<JobResult> {
    const data = job.data as SummaryMailData
    if (Math.abs(now() - data.at) < SUMMARY_EVERY_MS) return { dueAt: data.at + SUMMARY_EVERY_MS, data }
    if (job.revision === data.revision) return null
    const waiting = await countWaiting(storage)
    if (waiting.count === 0) return null
    if ((await mailAdmins({ waiting, id: data.id }, await emailsOnDuty())) === 'failed') {
      return { dueAt: now() + pauseAfter(data.failures), data: { ...data, failures: data.failures + 1 } }
    }
    const next: SummaryMailData = { failures: 0, id: randomUUID(), at: now(), revision: job.revision }
    return { dueAt: next.at + SUMMARY_EVERY_MS, data: next }
  }

  return (run) => (run.job.clientId === null ? summaryMail(run) : mailOf(run.job.clientId, run))
}
