import { isDeepStrictEqual } from 'node:util'
import { PAGES_KEPT } from '@proctorpass/shared/limits'
import type { PageView as ShownPage, VisitorClaim } from '@proctorpass/shared/schemas/inbox'
import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import { isBlocked } from './blocks-and-ratings.ts'
import type { ActivityRecord, Conversation, ToStore } from './conversation.ts'
import { type KeyHashes, opens } from './visitor-keys.ts'

/**
 * What a visitor said about themselves, and what their browser reported about itself. Values are validated. Null is
 * unknown.
 */
export interface Profile {
  name: string | null
  email: string | null
  /** The exam's time in milliseconds since 1970 UTC. */
  examAt: number | null
  locale: string | null
  timeZone: string | null
  device: string | null
  page: string | null
  referrer: string | null
  /** The ID of the card shown before the first message. The first reported one stays. */
  card: string | null
}

export type ProfileField = keyof Profile

/** A page that a visitor saw after their first message. */
export interface PageView {
  /** The path without a query. On a site, the origin precedes it. */
  path: string
  /** The page's title. Empty if unknown. */
  title: string
  /** The arrival time by the browser's corrected clock. It is never after the report. */
  at: number
  /** The seconds for which the page was visible when the browser reported it. */
  seconds: number
}

/** The person for whom a site vouches with a token. Only a token changes this. */
export interface SignedRecord {
  sub: string
  name: string | null
  email: string | null
  site: ConversationSite
  /** The time when the token was accepted. */
  at: number
}

export interface VisitorRecord extends Profile {
  clientId: string
  /** The time of the browser's last report. Null before the first. */
  lastSeenAt: number | null
  /** True if a link in one of the conversation's mails unsubscribed the present address. The browser shows this. */
  unsubscribed: boolean
  /** True if a mail to the present address came back. The address then gets no mails. */
  failing: boolean
  /** The times of the last MAILS_REMEMBERED mails. */
  mailedAt: readonly number[]
  /** The seq of the newest message about which a mail was sent. */
  mailedSeq: number
  /** Null if no site vouches for the visitor. */
  signed: SignedRecord | null
  /** The last PAGES_KEPT pages in the order of `at`. */
  pages: readonly PageView[]
}

/** A mail about this history's messages up to `seq`. */
export interface MailRecord {
  epoch: string
  seq: number
  at: number
  /** True if the mail was given up, which the log then says. */
  failed: boolean
}

export const MAILS_REMEMBERED = 3

/** Undefined fields stay as they are. */
export type ProfileChange = { readonly [F in ProfileField]?: Profile[F] | undefined } & {
  /** Page views to add. A view with the same path and `at` continues a stored one. */
  readonly pages?: readonly PageView[] | undefined
}

export interface ProfileUpdateOptions {
  by: string | null
  at: number
  keyHash?: string | null | undefined
}

export type ProfileUpdated =
  | {
      outcome: 'stored'
      visitor: VisitorRecord
      /** The fields whose values changed. */
      changed: readonly (ProfileField | 'pages')[]
      /** The entry about the changes that admins should notice, or null. */
      activity: ActivityRecord | null
      keyHashes: KeyHashes
    }
  /** The conversation has no messages. */
  | { outcome: 'missing' }
  /** The visitor has none of the conversation's keys. */
  | { outcome: 'wrong-key' }
  /** The visitor is blocked. */
  | { outcome: 'blocked' }

const UNKNOWN_PROFILE: Profile = {
  name: null,
  email: null,
  examAt: null,
  locale: null,
  timeZone: null,
  device: null,
  page: null,
  referrer: null,
  card: null,
}

export const PROFILE_FIELDS = Object.keys(UNKNOWN_PROFILE) as ProfileField[]

/** The fields whose changes are logged, because admins should notice them. */
const LOGGED: ReadonlySet<ProfileField> = new Set<ProfileField>(['name', 'email', 'examAt'])

export interface VisitorToStore extends ToStore<Partial<VisitorRecord>> {
  /** The change is decided again if these fields have changed since they were found. */
  only?: readonly (ProfileField | 'pages')[]
}

/**
 * Decides on a change to the visitor's data. `set` has the visitor's fields that get a value. `changed` names the
 * profile's fields whose values differ.
 */
export function decideProfile(
  { keyHashes, seq, blockedUntil }: Conversation,
  before: VisitorRecord,
  change: ProfileChange,
  { by, at, keyHash }: ProfileUpdateOptions,
):
  | Exclude<ProfileUpdated, { outcome: 'stored' }>
  | (VisitorToStore & { changed: (ProfileField | 'pages')[] }) {
  if (keyHash !== undefined && !opens(keyHashes, keyHash)) return { outcome: 'wrong-key' }
  if (seq === 0) return { outcome: 'missing' }
  if (by === null && isBlocked(blockedUntil, at)) return { outcome: 'blocked' }
  const changed = PROFILE_FIELDS.filter(
    (field) =>
      change[field] !== undefined &&
      change[field] !== before[field] &&
      (field !== 'card' || before.card === null),
  )
  const logged = changed.filter((field) => LOGGED.has(field))
  const pages = withPages(before.pages, change.pages ?? [])
  return {
    outcome: 'stored',
    changed: pages === null ? changed : [...changed, 'pages'],
    set: {
      ...Object.fromEntries(changed.map((field) => [field, change[field]])),
      ...(pages === null ? {} : { pages }),
      ...(changed.includes('email') ? { unsubscribed: false, failing: false } : {}),
      ...(by === null ? { lastSeenAt: Math.max(at, before.lastSeenAt ?? 0) } : {}),
    },
    entries: logged.length === 0 ? [] : [{ kind: 'profile', by, at, data: { fields: logged } }],
  }
}

/**
 * Returns the last pages, or null when nothing is new. The order in which reports arrive makes no difference, even when
 * two of the visitor's browsers report.
 */
function withPages(before: readonly PageView[], seen: readonly PageView[]): PageView[] | null {
  const nameOf = ({ at, path }: PageView) => `${at} ${path}`
  const pages = new Map(before.map((view) => [nameOf(view), view]))
  for (const view of seen) {
    const known = pages.get(nameOf(view))
    if (!known || known.seconds < view.seconds) pages.set(nameOf(view), view)
  }
  const last = [...pages]
    .sort(([a, { at }], [b, { at: other }]) => at - other || (a < b ? -1 : 1))
    .map(([, view]) => view)
    .slice(-PAGES_KEPT)
  return isDeepStrictEqual(last, before) ? null : last
}

/** Returns what a mail changes, or null when its history was erased. */
export function decideMailed(
  { epoch }: Pick<Conversation, 'epoch'>,
  { mailedAt, mailedSeq }: VisitorRecord,
  mail: MailRecord,
): VisitorToStore | null {
  if (epoch !== mail.epoch) return null
  const { seq, at, failed } = mail
  return {
    outcome: 'stored',
    set: {
      mailedAt: failed ? mailedAt : [...mailedAt, at].slice(-MAILS_REMEMBERED),
      mailedSeq: Math.max(mailedSeq, seq),
    },
    entries: failed ? [{ kind: 'mail', by: null, at, data: { failed: true } }] : [],
  }
}

/** Returns what a bounce changes, or null when it changes nothing. */
export function decideBounced(
  { epoch }: Pick<Conversation, 'epoch'>,
  visitor: Pick<VisitorRecord, 'email' | 'failing'>,
  bounce: { epoch: string; email: string; at: number },
): VisitorToStore | null {
  if (epoch !== bounce.epoch || visitor.email !== bounce.email || visitor.failing) return null
  const entry = { kind: 'mail', by: null, at: bounce.at, data: { failed: true } } as const
  return { outcome: 'stored', set: { failing: true }, entries: [entry], only: ['email'] }
}

/** Returns a stored row's record. Other fields are left out, and missing ones are unknown. */
export function visitorRecord(clientId: string, row: Partial<VisitorRecord>): VisitorRecord {
  const profile = Object.fromEntries(PROFILE_FIELDS.map((field) => [field, row[field] ?? null]))
  const { lastSeenAt = null, unsubscribed = false, failing = false, mailedAt = [], mailedSeq = 0 } = row
  // Some MongoDB-compatible servers store true as 1 in updates.
  const mails = { unsubscribed: Boolean(unsubscribed), failing: Boolean(failing), mailedAt, mailedSeq }
  const { signed = null, pages = [] } = row
  return { clientId, ...(profile as unknown as Profile), lastSeenAt, ...mails, signed, pages }
}

/** The visitor as a part of their conversation. The fields are always in the same order. */
export type CopiedVisitor = Omit<VisitorRecord, 'clientId'>

export function copiedVisitor(row: Partial<VisitorRecord> | null | undefined): CopiedVisitor | null {
  if (row === null || row === undefined) return null
  const { clientId: _, ...visitor } = visitorRecord('', row)
  return visitor
}

/** Returns what a conversation's summary says about its visitor. */
export function claimOf(visitor: Partial<VisitorRecord> | null | undefined): VisitorClaim {
  const { name = null, email = null, locale = null, timeZone = null, examAt = null } = visitor ?? {}
  const signed = visitor?.signed ?? null
  return {
    ...{ name, email, locale, timeZone },
    examAt: examAt === null ? null : new Date(examAt).toISOString(),
    signed: signed && { ...signed, at: new Date(signed.at).toISOString() },
  }
}

/** Returns the pages that a visitor saw as admins see them. */
export function pagesOf(visitor: Pick<VisitorRecord, 'pages'> | null): ShownPage[] {
  return (visitor?.pages ?? []).map((view) => ({ ...view, at: new Date(view.at).toISOString() }))
}
