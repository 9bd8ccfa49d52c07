import type { VisitorClaim } from '@proctorpass/shared/schemas/inbox'
import type { ActivityRecord } from './inbox.ts'
import type { NewEntry } from './inbox-changes.ts'
import type { KeyHashes } from './visitor-keys.ts'

/** What a visitor said about themselves, and their browser about itself. Null: unknown. Validated, and bounded. */
export interface Profile {
  name: string | null
  email: string | null
  /** Milliseconds since 1970 UTC. */
  examAt: number | null
  locale: string | null
  timeZone: string | null
  device: string | null
  page: string | null
  referrer: string | null
}
export type ProfileField = keyof Profile

export interface VisitorRecord extends Profile {
  clientId: string
  /** When the visitor's browser last reported; null: never. */
  lastSeenAt: number | null
  /** Whether mails to the present address are unwanted. */
  unsubscribed: boolean
  /** The times of the last MAILS_REMEMBERED mails. */
  mailedAt: readonly number[]
  /** Of the newest message that a mail was about. */
  mailedSeq: number
}

/** A mail about the messages up to `seq` of this history. */
export interface MailRecord {
  epoch: string
  seq: number
  at: number
  /** It was given up: the log says so. */
  failed: boolean
}

export const MAILS_REMEMBERED = 3

/** Undefined fields stay as they are. */
export type ProfileChange = { readonly [F in ProfileField]?: Profile[F] | undefined } & {
  /** Mails to the address are wanted again. */
  readonly unsubscribed?: false
}

export type ProfileUpdated =
  | {
      outcome: 'stored'
      visitor: VisitorRecord
      /** The fields whose values changed. */
      changed: readonly ProfileField[]
      /** The entry about those that admins should notice. */
      activity: ActivityRecord | null
      keyHashes: KeyHashes
    }
  /** The conversation has no messages. */
  | { outcome: 'missing' }
  /** The visitor has none of the conversation's keys. */
  | { outcome: 'wrong-key' }
  /** The visitor is blocked. */
  | { outcome: 'blocked' }

/** What is known of visitors. It belongs to their conversation: erasing that erases it too. */
export interface VisitorRepository {
  /**
   * Changes what is known, atomically. `by`: an admin, or null for the visitor, whom it has then seen at `at`. With
   * `keyHash` (null: no key) only if the key `opens` the conversation.
   */
  update(
    clientId: string,
    change: ProfileChange,
    options: { by: string | null; at: number; keyHash?: string | null | undefined },
  ): Promise<ProfileUpdated>
  /** Null entry: nothing was logged. The history may have been erased meanwhile: then nothing is stored. */
  mailed(clientId: string, mail: MailRecord): Promise<ActivityRecord | null>
  /** No more mails to the present address; another address that the visitor gives gets mails. False when nothing is known of the visitor. */
  unsubscribe(clientId: string): Promise<boolean>
  /** Null when nothing is known. */
  find(clientId: string): Promise<VisitorRecord | null>
}

const UNKNOWN_PROFILE: Profile = {
  name: null,
  email: null,
  examAt: null,
  locale: null,
  timeZone: null,
  device: null,
  page: null,
  referrer: null,
}
export const PROFILE_FIELDS = Object.keys(UNKNOWN_PROFILE) as ProfileField[]

/** The fields whose values a change changes. */
export function changedFields(before: Profile, change: ProfileChange): ProfileField[] {
  return PROFILE_FIELDS.filter((field) => change[field] !== undefined && change[field] !== before[field])
}

const LOGGED: ReadonlySet<ProfileField> = new Set<ProfileField>(['name', 'email', 'examAt'])

/** The entry of the log about a change; null when it is only of what browsers report. */
export function profileEntry(changed: readonly ProfileField[]): NewEntry | null {
  const fields = changed.filter((field) => LOGGED.has(field))
  return fields.length === 0 ? null : { kind: 'profile', data: { fields } }
}

/** What is stored of a change. Another address has not unsubscribed. */
export function afterChange(
  change: ProfileChange,
  changed: readonly ProfileField[],
): Partial<Profile> & { unsubscribed?: false } {
  const isSubscribed = change.unsubscribed === false || changed.includes('email')
  const fields = Object.fromEntries(changed.map((field) => [field, change[field]]))
  return { ...fields, ...(isSubscribed ? { unsubscribed: false } : {}) }
}

/** What a mail changes. */
export function afterMail(
  { mailedAt, mailedSeq }: Pick<VisitorRecord, 'mailedAt' | 'mailedSeq'>,
  { seq, at, failed }: MailRecord,
): Pick<VisitorRecord, 'mailedAt' | 'mailedSeq'> {
  return {
    mailedAt: failed ? mailedAt : [...mailedAt, at].slice(-MAILS_REMEMBERED),
    mailedSeq: Math.max(mailedSeq, seq),
  }
}

export const FAILED_MAIL: NewEntry = { kind: 'mail', data: { failed: true } }

/** The record of a stored row, whatever else it has; null without a row. */
export function visitorRecord(
  clientId: string,
  row: Partial<VisitorRecord> | null | undefined,
): VisitorRecord | null {
  if (row === null || row === undefined) return null
  const profile = Object.fromEntries(PROFILE_FIELDS.map((field) => [field, row[field] ?? null]))
  const { lastSeenAt = null, unsubscribed = false, mailedAt = [], mailedSeq = 0 } = row
  // Some MongoDB-compatible servers store true as 1 in updates.
  const mails = { unsubscribed: Boolean(unsubscribed), mailedAt, mailedSeq }
  return { clientId, ...(profile as unknown as Profile), lastSeenAt, ...mails }
}

/** The same as a part of its conversation, the fields always in the same order. */
export type CopiedVisitor = Omit<VisitorRecord, 'clientId'>
export function copiedVisitor(row: Partial<VisitorRecord> | null | undefined): CopiedVisitor | null {
  const record = visitorRecord('', row)
  if (record === null) return null
  const { clientId: _, ...visitor } = record
  return visitor
}

/** What a conversation's summary says of its visitor. */
export function claimOf(visitor: Partial<VisitorRecord> | null | undefined): VisitorClaim {
  const { name = null, email = null, locale = null, timeZone = null, examAt = null } = visitor ?? {}
  return { name, email, locale, timeZone, examAt: examAt === null ? null : new Date(examAt).toISOString() }
}
