import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import type { Sessions } from '../auth/sessions.ts'
import type { KeyedHash } from '../credentials/store-secret.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Limits } from '../limits/limits.ts'
import type { MailAdmins } from '../mail/admin-mails.ts'
import type { AllowedHost } from '../outbound/hosts.ts'
import { createPost } from '../outbound/post.ts'
import type { Storage } from '../storage/model/storage.ts'
import { ALERT_KIND, alertJob, createAlerts } from './alerts.ts'
import { createBounds } from './bounds.ts'
import { createDevices } from './devices.ts'
import { createMentions, MENTION_KIND, mentionJob } from './mentions.ts'
import { createOwnDevices } from './own-devices.ts'
import { createSendPush, type PushLog, type SendPush } from './push-service.ts'
import { createPushToDevices } from './push-to-devices.ts'
import { createSummaries, SUMMARY_KIND, summaryJob } from './summaries.ts'
import { createAuthorizations, createVapidKeys } from './vapid.ts'
import { createWaitingMails, WAITING_MAIL_KIND, waitingMailJob } from './waiting-mails.ts'

/** The kind of the job that looks for unread messages without a job. */
const UNREAD_KIND = 'unread'
/** The number of conversations in one page. */
const PAGE = 100
/**
 * Only unread messages newer than this get a job, because admins were notified of older ones or see them in the
 * dashboard.
 */
const UNREAD_SINCE_MS = 60 * 60 * 1_000

interface NotificationsDeps {
  storage: Storage
  sessions: Pick<Sessions, 'isAdminSession' | 'onEnded'>
  jobs: Jobs
  limits: Pick<Limits, 'take'>
  /** Whether rate limits apply at all. */
  rateLimits: boolean
  hash: KeyedHash
  settings: { current(): Promise<Settings> }
  hosts: readonly AllowedHost[]
  /** The server's public origin. */
  publicUrl: string
  supportEmail: string
  /** Says whether a visible tab of the admin shows the conversation, on any node. */
  isViewing: (userId: string, clientId: string) => boolean
  /** Null if no mail is configured. */
  mailAdmins: MailAdmins | null
  /** Wraps the sender to count its answers for the metrics. */
  observed: (send: SendPush) => SendPush
  now: () => number
}

/**
 * Notifies admins of unread messages and of mentions in notes.
 * @see docs/decisions/0045-notifications.md
 */
export function createNotifications(deps: NotificationsDeps) {
  const { storage, sessions, jobs, limits, rateLimits, hash, settings, hosts, isViewing, mailAdmins, now } =
    deps
  const { subscriptions } = storage
  const keys = createVapidKeys(storage.documents)
  // Apple refuses localhost.
  const subject = deps.publicUrl.startsWith('https:') ? deps.publicUrl : `mailto:${deps.supportEmail}`
  let log: PushLog | undefined
  const send = deps.observed(
    createSendPush({
      hosts,
      authorization: createAuthorizations({ keys, subject, now }),
      post: createPost({ now }),
      log: { warn: (...line) => log?.warn(...line) },
    }),
  )
  const devices = createDevices({ subscriptions, sessions, hosts })
  const pushToDevices = createPushToDevices({ devices, subscriptions, send, now })
  const escalation = async () => (await settings.current()).escalation

  const bounds = createBounds({ addresses: storage.addresses, hash, enabled: rateLimits, now })
  const scheduleSummary = () => jobs.schedule(summaryJob(now()))
  const scheduleMail =
    mailAdmins && ((clientId: string | null) => jobs.schedule(waitingMailJob(clientId, now())))
  const alerts = { storage, pushToDevices, escalation, isViewing, bounds, scheduleSummary, scheduleMail, now }
  jobs.handle(ALERT_KIND, createAlerts(alerts))
  jobs.handle(SUMMARY_KIND, createSummaries({ storage, pushToDevices, now }))
  if (mailAdmins !== null) {
    jobs.handle(WAITING_MAIL_KIND, createWaitingMails({ storage, mailAdmins, now }))
  }
  jobs.handle(MENTION_KIND, createMentions({ storage, pushToDevices, isViewing, now }))
  // A subscription that stays because the store failed is found when a push is due.
  sessions.onEnded((sids) => void subscriptions.removeOfSessions(sids).catch(() => {}))

  // A message can be stored although its call failed, and then its browser shows it and does not send it again. The job
  // finds out, and its read brings the conversation into the list. It ends by itself if nothing is unread.
  storage.onStored((change) => {
    if (change.kind === 'unknown') jobs.scheduleLater(alertJob(change.clientId, now(), null))
  })

  jobs.handle(UNREAD_KIND, async () => {
    const since = now() - UNREAD_SINCE_MS
    let after: Parameters<Storage['conversations']['list']>[0]['after']
    do {
      const page = await storage.conversations.list({ limit: PAGE, after, filter: { unread: true } })
      for (const { clientId, lastMessage } of page.conversations) {
        if (Date.parse(lastMessage.createdAt) > since) await jobs.schedule(alertJob(clientId, since, null))
      }
      after = page.next ?? undefined
    } while (after !== undefined)
    return null
  })

  return {
    devices: createOwnDevices({ subscriptions, devices, hosts, keys, send, limits, now }),
    /** Schedules the notifications of the admins whom the note mentions. */
    async noteAdded(note: Activity): Promise<void> {
      const job = mentionJob(note)
      if (job !== null) await jobs.schedule(job)
    },
    /** Schedules the notification of messages that wait again, because an admin takes back that they need no answer. */
    activityCreated(entry: Activity): void {
      if (entry.kind !== 'settled' || entry.data.upTo !== null) return
      jobs.scheduleLater(alertJob(entry.clientId, 0, null))
    },
    /**
     * Starts a background search for messages of the last hour that have no scheduled notification. Such messages exist
     * after the store was restored, migrated, or used by an older release.
     */
    start(toLog: PushLog): void {
      log = toLog
      // Derives the key now, so that the first messages need not wait for it.
      hash('network', '').catch(() => {})
      jobs.scheduleLater({ key: UNREAD_KIND, kind: UNREAD_KIND, clientId: null, dueAt: now(), data: null })
    },
  }
}

export type Notifications = ReturnType<typeof createNotifications>
