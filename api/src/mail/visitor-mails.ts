import type { Message } from '@proctorpass/shared/schemas/chat'
import { businessName, peopleIn } from '../chat/people.ts'
import type { JobOfMessage } from '../chat/send.ts'
import type { KeyedHash } from '../credentials/store-secret.ts'
import { dueAfter } from '../jobs/due.ts'
import type { JobHandler } from '../jobs/jobs.ts'
import type { Languages } from '../languages/languages.ts'
import type { Sites } from '../sites/sites.ts'
import { isBlocked } from '../storage/model/conversation/blocks-and-ratings.ts'
import type { ActivityRecord } from '../storage/model/conversation/conversation.ts'
import type { MessagePage } from '../storage/model/conversation/messages.ts'
import { MAILS_REMEMBERED, type VisitorRecord } from '../storage/model/conversation/visitors.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Links } from './links.ts'
import { addressIdOf, MAILS_TO_ADDRESS } from './mailboxes.ts'
import type { Mailer, MailOutcome } from './mailer.ts'
import { visitorMail } from './visitor-mail.ts'

export const MAIL_JOB = 'mail'
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** How long a reply stays unread before it is mailed. */
const UNREAD_FOR_MS = 3 * MINUTE_MS
/** Replies that could not be mailed for this long are out of date, because mail or the server was switched off. */
const TOO_OLD_MS = 7 * DAY_MS
const ONLINE_AGAIN_MS = MINUTE_MS
const RETRY_MAX_MS = 60 * MINUTE_MS
/** Number of newest messages that are searched for unread replies. */
const MESSAGES_READ = 50

/** What a job remembers. Each time is when the state began, or null. */
interface Progress {
  /** The time from which the visitor has been online without reading. */
  onlineSince: number | null
  failedSince: number | null
  failures: number
}
const NEW_PROGRESS: Progress = { onlineSince: null, failedSince: null, failures: 0 }

/** Makes the job for an admin's message. */
export const visitorMailJob: JobOfMessage = ({ clientId, address, at }) =>
  address === null
    ? { key: `mail:${clientId}`, kind: MAIL_JOB, clientId, dueAt: at + UNREAD_FOR_MS, data: NEW_PROGRESS }
    : null

export interface VisitorMailsDeps {
  storage: Pick<Storage, 'visitors' | 'messages' | 'users' | 'addresses' | 'apiKeys'>
  hash: KeyedHash
  mailer: Mailer
  links: Pick<Links, 'create'>
  /** The address to which answers are sent, with a token added; null if answers are not read. */
  replyAddress: string | null
  isOnline: (clientId: string) => boolean
  /** Tells admins about a new entry. */
  activityStored: (activity: ActivityRecord) => void
  now: () => number
  findSite: Sites['find']
  /** Returns the words in the language that suits a locale. */
  textsFor: Languages['textsFor']
  brand: string
  supportEmail: string
  /** The origin of the public site. */
  publicUrl: string
  apiPrefix: string
}

interface Recipient {
  email: string
  locale: string | null
  addressId: string
}

/** Handles the jobs. Each run derives from the store which mail is due. */
export function createVisitorMails(deps: VisitorMailsDeps): JobHandler {
  const { storage, hash, mailer, links, isOnline, now } = deps

  async function send(
    { email, locale, addressId }: Recipient,
    page: MessagePage,
    unread: readonly Message[],
  ): Promise<MailOutcome> {
    const { clientId, epoch } = page
    const id = `reply ${clientId} ${epoch} ${unread.at(-1)?.seq}`
    const tokens = await links.create({ clientId, epoch, addressId, mailId: id })
    const brand = await businessName(page.site, deps)
    const people = (await peopleIn(unread, { storage, business: brand, side: 'visitor' })) ?? {}
    const { publicUrl, apiPrefix, supportEmail, replyAddress } = deps
    const mail = visitorMail({
      language: await deps.textsFor(locale),
      ...{ brand, supportEmail, publicUrl, people, messages: unread },
      resumeUrl: `${publicUrl}/c#${tokens.resume}`,
      unsubscribeUrl: `${publicUrl}/c/unsubscribe#${tokens.unsubscribe}`,
      isAnswerRead: replyAddress !== null,
      isCut: (page.messages[0]?.seq ?? 0) > page.read.visitor + 1,
    })
    return mailer.send({
      ...mail,
      id,
      to: [email],
      replyTo: replyAddress === null ? undefined : withToken(replyAddress, tokens.reply),
      unsubscribeUrl: `${publicUrl}${apiPrefix}/chat/unsubscribe/${tokens.unsubscribe}`,
    })
  }

  return async ({ job, save }) => {
    const clientId = job.clientId ?? ''
    const progress = job.data as Progress
    const visitor = await storage.visitors.find(clientId)
    if (visitor === null || visitor.email === null || visitor.unsubscribed || visitor.failing) return null
    const addressId = await addressIdOf(visitor.email, hash)
    if (await storage.addresses.isUnsubscribed(addressId)) return null
    const page = await storage.messages.page(clientId, { limit: MESSAGES_READ })
    const unread = page === null ? [] : unreadReplies(page)
    const first = unread.find(({ seq }) => seq > visitor.mailedSeq)
    const newest = unread.at(-1)
    const at = now()
    if (page === null || isBlocked(page.blockedUntil, at)) return null
    if (first === undefined || newest === undefined) return null

    if (Date.parse(newest.createdAt) < at - TOO_OLD_MS) return null
    const dueAt = Math.max(dueAfter(first.createdAt, UNREAD_FOR_MS, at), allowedAgainAt(visitor, at))
    if (dueAt > at) return { dueAt, data: progress }
    if (isOnline(clientId)) {
      const onlineSince = progress.onlineSince ?? at
      if (at - onlineSince >= DAY_MS) return null
      return { dueAt: at + ONLINE_AGAIN_MS, data: { ...progress, onlineSince } }
    }

    // The name is the same for each attempt, so a mail that failed keeps its place.
    const name = await hash('reply', `${clientId} ${page.epoch} ${first.seq}`)
    const freeAt = await storage.addresses.take(addressId, name, MAILS_TO_ADDRESS, at)
    if (freeAt !== null) return { dueAt: freeAt, data: progress }
    const { email, locale } = visitor
    const outcome = await send({ email, locale, addressId }, page, unread)
    const failedSince = progress.failedSince ?? at
    if (outcome === 'failed' && at - failedSince < DAY_MS) {
      const failures = progress.failures + 1
      const pause = Math.min(MINUTE_MS * 2 ** progress.failures, RETRY_MAX_MS)
      return { dueAt: now() + pause, data: { onlineSince: null, failedSince, failures } }
    }
    const { epoch } = page
    const mail = { epoch, seq: newest.seq, at: now(), failed: outcome !== 'sent' }
    const activity = await storage.visitors.mailed(clientId, mail)
    if (activity !== null) deps.activityStored(activity)
    // A reply that arrived in the meantime keeps the job.
    if (progress.failures > 0 || progress.onlineSince !== null) await save(NEW_PROGRESS)
    return null
  }
}

/** Returns the address for answers to one mail. */
function withToken(replyAddress: string, token: string): string {
  const at = replyAddress.lastIndexOf('@')
  return `${replyAddress.slice(0, at)}+${token}${replyAddress.slice(at)}`
}

function unreadReplies({ messages, clientId, read }: MessagePage): Message[] {
  return messages.filter(({ seq, senderId }) => senderId !== clientId && seq > read.visitor)
}

/** Returns when the next mail is allowed; 0 if it is allowed now. */
function allowedAgainAt({ mailedAt }: VisitorRecord, at: number): number {
  const recent = mailedAt.filter((time) => time > at - DAY_MS)
  return recent.length < MAILS_REMEMBERED ? 0 : Math.min(...recent) + DAY_MS
}
