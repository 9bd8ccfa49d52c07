import type { JobHandler } from '../jobs/jobs.ts'
import type { NewJob } from '../storage/model/jobs.ts'
import type { Storage } from '../storage/model/storage.ts'
import { mailBody } from './mail-body.ts'
import type { Mailer } from './mailer.ts'

export const FACTOR_MAIL_JOB = 'factor-mail'
const RETRY_MS = 60_000
const ATTEMPTS_MAX = 60

/** The sentence of the mail for each change. */
const CHANGES = {
  'codes.wrong':
    'Someone who knows the password of the {brand} account {userName} entered ten wrong codes. From now on, one code is accepted every 30 seconds.',
  'factor.added totp': 'An authenticator app was added to the {brand} account {userName}.',
  'factor.removed totp': 'The authenticator app was removed from the {brand} account {userName}.',
  'factor.added passkey': 'A passkey was added to the {brand} account {userName}.',
  'factor.removed passkey': 'A passkey was removed from the {brand} account {userName}.',
  'recovery.renewed': 'New recovery codes were created for the {brand} account {userName}.',
  'account.reset':
    "The server's operator reset the {brand} account {userName}. It has a new password and no second factor.",
}
const ADVICE =
  "If it wasn't you, change your password now, remove anything you don't recognize, and tell the rest of your team."
const ADVICE_AFTER_RESET =
  "If you didn't ask for this, contact the server's operator. Change the password that they gave you, and set up your second factor again."
const ADVICE_AFTER_WRONG_CODES =
  "If it wasn't you, change your password now. Until then you can sign in with a passkey, with a recovery code, or in a browser where you have signed in before."
export type ChangeOfFactor = keyof typeof CHANGES

interface FactorMailData {
  userId: string
  change: ChangeOfFactor
  /** Milliseconds since 1970. */
  at: number
  failures: number
}

/**
 * Creates the job that mails an admin about a change of their factors, or about wrong codes, because another person may
 * have caused it.
 */
export function factorMailJob(userId: string, change: ChangeOfFactor, at: number): NewJob {
  const data: FactorMailData = { userId, change, at, failures: 0 }
  return { key: `${FACTOR_MAIL_JOB}:${userId}:${at}`, kind: FACTOR_MAIL_JOB, clientId: null, dueAt: at, data }
}

export interface FactorMailsDeps {
  storage: Pick<Storage, 'users'>
  mailer: Mailer
  brand: string
  supportEmail: string
  /** The origin of the public site. */
  publicUrl: string
  now: () => number
}

/**
 * The mail goes to the account's address, or to the support address if the account has none. A failed mail is tried
 * again for an hour.
 */
export function createFactorMails(deps: FactorMailsDeps): JobHandler {
  const { storage, mailer, brand, supportEmail, publicUrl, now } = deps
  return async ({ job }) => {
    const data = job.data as FactorMailData
    const user = await storage.users.findById(data.userId)
    if (user === null) return null
    const { userName } = user
    const body = mailBody(
      [
        { words: CHANGES[data.change], values: { userName, brand } },
        ...consequencesOf(data.change).map((words) => ({ words })),
        { label: 'Open your account', url: `${publicUrl}/dashboard/account` },
        { words: 'Replies to this email are not read.' },
      ],
      { lang: 'en', dir: 'ltr' },
    )
    const outcome = await mailer.send({
      ...body,
      id: job.key,
      to: [user.email ?? supportEmail],
      subject:
        data.change === 'codes.wrong' ? 'Someone knows your password' : "Your account's sign-in has changed",
    })
    if (outcome !== 'failed' || data.failures >= ATTEMPTS_MAX) return null
    return { dueAt: now() + RETRY_MS, data: { ...data, failures: data.failures + 1 } }
  }
}

function consequencesOf(change: ChangeOfFactor): string[] {
  if (change === 'codes.wrong') return [ADVICE_AFTER_WRONG_CODES]
  if (change === 'account.reset') return ['It was signed out everywhere.', ADVICE_AFTER_RESET]
  return ['It was signed out everywhere else.', ADVICE]
}
