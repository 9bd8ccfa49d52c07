import { ENDPOINTS_MAX } from '@proctorpass/shared/limits'
import type { Seal } from '../credentials/sealed-text.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { AllowedHost } from '../outbound/hosts.ts'
import type { Storage } from '../storage/model/storage.ts'
import { isActiveAdmin } from '../storage/model/users.ts'
import { createEndpoints } from './endpoints.ts'
import type { Events } from './events.ts'
import { createPostEvent } from './post-event.ts'
import { createWebhookHandler, WEBHOOK_KIND, webhookJob } from './webhook-job.ts'

const MAIL_KIND = 'webhook-mail'
const MAIL_PAUSE_MS = 60_000
const MAIL_ATTEMPTS = 60
/** No event has this number. */
const NOTHING = -1
/** How often each node looks for new events. */
const LOOK_EVERY_MS = 500

/** An endpoint that was disabled after five days of failures, as a mail describes it. */
export interface DisabledEndpoint {
  endpointId: string
  name: string
  host: string
  /** When the first failure was, in ISO 8601. */
  since: string
}

interface WebhooksLog {
  warn(context: object, message: string): void
}

interface WebhooksDeps {
  storage: Pick<Storage, 'endpoints' | 'retries' | 'deliveries' | 'events' | 'users'>
  events: Events
  jobs: Pick<Jobs, 'handle' | 'schedule'>
  seal: Seal
  hosts: readonly AllowedHost[]
  /** Mails the admins; null if no mail is sent. If `emails` is null, the mail goes to the support address. */
  mailDisabled:
    | ((
        endpoint: DisabledEndpoint,
        emails: readonly (string | null)[],
      ) => Promise<'sent' | 'refused' | 'failed'>)
    | null
  now: () => number
}

/** Connects endpoints with the jobs that post events to them. */
export function createWebhooks(deps: WebhooksDeps) {
  const { storage, events, jobs, seal, hosts, mailDisabled, now } = deps
  const stopping = new AbortController()
  let log: WebhooksLog | undefined
  let timer: NodeJS.Timeout | undefined
  let seen = NOTHING
  let looking = false

  const wake = (endpointId: string) => jobs.schedule(webhookJob(endpointId, now()))

  jobs.handle(
    WEBHOOK_KIND,
    createWebhookHandler({
      ...{ storage, events, now, stop: stopping.signal },
      post: createPostEvent({ storage, seal, hosts, now }),
      async notifyDisabled({ _id, name, url }, since) {
        if (mailDisabled === null) return
        const host = new URL(url).host
        const data = { endpointId: _id, name, host, since: new Date(since).toISOString() }
        const key = `${MAIL_KIND}:${_id}`
        await jobs.schedule({
          key,
          kind: MAIL_KIND,
          clientId: null,
          dueAt: now(),
          data: { ...data, failures: 0 },
        })
      },
      log: { warn: (context, message) => log?.warn(context, message) },
    }),
    // The number lets all endpoints' jobs run at once, so that one that hangs keeps no other waiting.
    ENDPOINTS_MAX,
  )

  if (mailDisabled !== null) {
    jobs.handle(MAIL_KIND, async ({ job }) => {
      const data = job.data as DisabledEndpoint & { failures: number }
      const admins = (await storage.users.list()).filter(isActiveAdmin)
      const outcome = await mailDisabled(
        data,
        admins.map(({ email }) => email),
      )
      if (outcome !== 'failed' || data.failures >= MAIL_ATTEMPTS) return null
      return { dueAt: now() + MAIL_PAUSE_MS, data: { ...data, failures: data.failures + 1 } }
    })
  }

  /**
   * Makes jobs due if their endpoints have not seen the newest event. After the start, makes all due, because a restored
   * store has retries and replays, but no jobs.
   */
  async function look(): Promise<void> {
    const enabled = (await storage.endpoints.list()).filter(({ disabledBy }) => disabledBy === null)
    if (enabled.length === 0) return
    const { last } = await storage.events.bounds()
    if (last === seen) return
    const behind = seen === NOTHING ? enabled : enabled.filter(({ after }) => after < last)
    await Promise.all(behind.map(({ _id }) => wake(_id)))
    seen = last
  }

  return {
    endpoints: createEndpoints({ storage, events, seal, hosts, wake, now }),

    /** Starts posting new events. */
    start(toLog: WebhooksLog): void {
      log = toLog
      timer = setInterval(() => {
        if (looking) return
        looking = true
        // The store's calls log an outage, and the next look covers this one.
        look()
          .catch(() => {})
          .finally(() => {
            looking = false
          })
      }, LOOK_EVERY_MS).unref()
    },

    /** Aborts running requests. */
    stop(): void {
      clearInterval(timer)
      stopping.abort()
    },
  }
}

export type Webhooks = ReturnType<typeof createWebhooks>
