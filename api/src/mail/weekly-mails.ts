import { timingSafeEqual } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import type { WeeklyMailing } from '../auth/own-account.ts'
import type { KeyedHash } from '../credentials/store-secret.ts'
import type { JobHandler, JobResult, Jobs } from '../jobs/jobs.ts'
import type { Limits } from '../limits/limits.ts'
import { addDays } from '../reports/report-query.ts'
import type { ReportUseCases } from '../reports/report-use-cases.ts'
import type { SettingsUseCases } from '../settings/settings.ts'
import type { NewJob } from '../storage/model/jobs.ts'
import type { Storage } from '../storage/model/storage.ts'
import { isActiveAdmin, type UserRecord } from '../storage/model/users.ts'
import { UNKNOWN_POINTS } from './links.ts'
import type { Mailer } from './mailer.ts'
import { weeklyMail } from './weekly-mail.ts'
import { mailTime, mondayOf, nextMonday } from './weekly-times.ts'

/** The job of one admin's mails. It stays until the admin turns them off. */
const MAIL_JOB = 'weekly-mail'
/** The job that schedules all admins' jobs, because a copied or restored store has none. */
const START_JOB = 'weekly-mails'
const MINUTE_MS = 60_000
const RETRY_MAX_MS = 60 * MINUTE_MS
const TOKEN = /^([0-9a-f]{24})([\w-]{43})$/

interface WeeklyMailData {
  userId: string
  /** How often this week's mail failed. */
  failures: number
}

interface WeeklyMailsDeps {
  storage: Pick<Storage, 'users'>
  jobs: Pick<Jobs, 'handle' | 'schedule' | 'scheduleLater'>
  settings: Pick<SettingsUseCases, 'current'>
  reports: Pick<ReportUseCases, 'totals'>
  limits: Pick<Limits, 'charge'>
  hash: KeyedHash
  /** Null if no mail is sent. */
  mailer: Mailer | null
  brand: string
  /** The origin of the public site. */
  publicUrl: string
  apiPrefix: string
  now: () => number
}

/**
 * Mails each admin who wants it the figures of the week before, on Mondays at 8:00 in the admin's time zone. The stored
 * Monday decides, so a mail that was sent isn't sent again, no matter how jobs, zones, and nodes change. After an outage
 * a mail is still sent until Sunday.
 */
export function createWeeklyMails(deps: WeeklyMailsDeps) {
  const { storage, jobs, settings, reports, limits, hash, mailer, now } = deps
  const { brand, publicUrl, apiPrefix } = deps
  const { users } = storage

  const zoneOf = async (timeZone: string | null): Promise<string> =>
    timeZone ?? (await settings.current()).hours?.timeZone ?? 'UTC'

  const signatureOf = (userId: string) => hash('weekly-mail', userId)

  /** Returns the URL of the page that stops the mails. It is the same in all mails, so a repeated mail is equal. */
  async function unsubscribeUrlOf(userId: string): Promise<string> {
    return `${publicUrl}${apiPrefix}/account/weekly/unsubscribe/${userId}${await signatureOf(userId)}`
  }

  async function userOfToken(token: string): Promise<UserRecord | null> {
    const [, userId = '', signature = ''] = TOKEN.exec(token) ?? []
    if (userId === '') return null
    const expected = Buffer.from(await signatureOf(userId))
    return timingSafeEqual(Buffer.from(signature), expected) ? users.findById(userId) : null
  }

  function jobOf(userId: string): NewJob {
    const data: WeeklyMailData = { userId, failures: 0 }
    return { key: `${MAIL_JOB}:${userId}`, kind: MAIL_JOB, clientId: null, dueAt: now(), data }
  }

  const handlerWith =
    (sender: Mailer): JobHandler =>
    async ({ job, now: at }) => {
      const { userId, failures } = job.data as WeeklyMailData
      const user = await users.findById(userId)
      if (user === null || user.weeklyFrom === null) return null
      const { weeklyFrom, email } = user
      const zone = await zoneOf(user.timeZone)
      const monday = mondayOf(zone, at)
      const next = nextMonday(zone, at)
      const data: WeeklyMailData = { userId, failures: 0 }
      async function goOn(): Promise<JobResult> {
        await users.moveWeekly(userId, weeklyFrom, next)
        return { dueAt: mailTime(next, zone), data }
      }
      // Only a clock that was wrong stores a Monday this far ahead.
      if (weeklyFrom > addDays(monday, 14)) return goOn()
      if (weeklyFrom > monday) return { dueAt: mailTime(weeklyFrom, zone), data }
      // It is Monday before 8:00, which is too late for the week before.
      if (next === monday) return { dueAt: mailTime(next, zone), data }

      if (isActiveAdmin(user) && email !== null) {
        const week = { from: addDays(monday, -7), to: addDays(monday, -1), zone }
        const { isCurrent, totals } = await reports.totals(week)
        if (!isCurrent) return { dueAt: now() + MINUTE_MS, data: job.data }
        const unsubscribeUrl = await unsubscribeUrlOf(userId)
        const outcome = await sender.send({
          ...weeklyMail({ brand, publicUrl, week, totals, unsubscribeUrl }),
          id: `weekly ${userId} ${monday}`,
          to: [email],
          unsubscribeUrl,
        })
        if (outcome === 'failed') {
          const pause = Math.min(MINUTE_MS * 2 ** failures, RETRY_MAX_MS)
          return { dueAt: now() + pause, data: { userId, failures: failures + 1 } }
        }
      }
      return goOn()
    }

  if (mailer !== null) {
    jobs.handle(MAIL_JOB, handlerWith(mailer))
    jobs.handle(START_JOB, async () => {
      for (const { _id, weeklyFrom } of await users.list()) {
        if (weeklyFrom !== null) await jobs.schedule(jobOf(_id))
      }
      return null
    })
  }

  const mailing: WeeklyMailing = {
    firstMonday: async (timeZone) => nextMonday(await zoneOf(timeZone), now()),
    changed({ _id }) {
      if (mailer !== null) jobs.scheduleLater(jobOf(_id))
    },
  }

  return {
    mailing,

    /** Schedules all admins' mails. A node calls this at its start. */
    start(): void {
      if (mailer === null) return
      jobs.scheduleLater({ key: START_JOB, kind: START_JOB, clientId: null, dueAt: now(), data: null })
    },

    /** Turns off the mails of the admin whose mail had this token. Throws an AppError `not-found`. */
    async unsubscribe(token: string, address: string): Promise<void> {
      const user = await userOfToken(token)
      if (user === null) {
        await limits.charge('address', address, UNKNOWN_POINTS)
        throw new AppError('not-found', 'This link is unknown.')
      }
      if (user.weeklyFrom !== null) await users.changeProfile(user._id, { weeklyFrom: null })
    },
  }
}

export type WeeklyMails = ReturnType<typeof createWeeklyMails>
