import type { Env } from '../env/env.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { createFactorMails, FACTOR_MAIL_JOB, type FactorMailsDeps } from './factor-mails.ts'
import { createVisitorMails, MAIL_JOB, type VisitorMailsDeps } from './visitor-mails.ts'

type MailsDeps = Omit<FactorMailsDeps & VisitorMailsDeps, keyof Env | 'replyAddress'>

/** Handles the jobs of mails to visitors, and of mails about an admin's factors. */
export function handleMails(jobs: Pick<Jobs, 'handle'>, env: Env, deps: MailsDeps): void {
  const mails = { ...env, ...deps, replyAddress: env.inbound?.replyAddress ?? null }
  jobs.handle(FACTOR_MAIL_JOB, createFactorMails(mails))
  jobs.handle(MAIL_JOB, createVisitorMails(mails))
}
