import type { JobHandler } from '../jobs/jobs.ts'
import type { MailAdmins } from '../mail/admin-mails.ts'
import { isActiveAdmin } from '../storage/active-admin.ts'
import type { NewJob } from '../storage/jobs.ts'
import type { Storage } from '../storage/storage.ts'
import { ALERTS_END_MS } from './alerts.ts'
import { readUnread } from './unread-messages.ts'

export const WAITING_MAIL_KIND = 'waiting-mail'
const PAUSE_MS = 60_000
const PAUSE_MAX_MS = 60 * 60 * 1_000

interface WaitingMailData {
  failures: number
}

/** A job of its own, so that a mail server that hangs delays no push. */
export function waitingMailJob(clientId: string, dueAt: number): NewJob {
  const data: WaitingMailData = { failures: 0 }
  return { key: `waiting-mail:${clientId}`, kind: WAITING_MAIL_KIND, clientId, dueAt, data }
}

interface WaitingMailsDeps {
  storage: Pick<Storage, 'messages' | 'conversations' | 'users'>
  mailAdmins: MailAdmins
  now: () => number
}

/** Tells those on duty once that a visitor waits, unless that is over. */
export function createWaitingMails({ storage, mailAdmins, now }: WaitingMailsDeps): JobHandler {
  return async ({ job }) => {
    const clientId = job.clientId ?? ''
    const { failures } = job.data as WaitingMailData
    const at = now()
    const unread = await readUnread(storage, clientId, { since: at - ALERTS_END_MS, now: at })
    if (unread === null || unread.isSetAside) return null
    const onDuty = (await storage.users.list()).filter((user) => isActiveAdmin(user) && user.onDuty)
    const emails = onDuty.map(({ email }) => email)
    const { epoch, newest } = unread
    if ((await mailAdmins({ clientId, epoch, seq: newest.seq, emails })) !== 'failed') return null
    const pause = Math.min(PAUSE_MS * 2 ** failures, PAUSE_MAX_MS)
    return { dueAt: now() + pause, data: { failures: failures + 1 } satisfies WaitingMailData }
  }
}
