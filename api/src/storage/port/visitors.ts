import type { ConversationSite } from '@proctorpass/shared/schemas/site'
import type { KeyHashes } from '../rules/visitor-keys.ts'
import type { ActivityRecord } from './inbox.ts'

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
  /** The id of the card that they were shown before their first message. The first that is reported stays. */
  card: string | null
}
export type ProfileField = keyof Profile

/** A page that a visitor saw after their first message. */
export interface PageView {
  /** A path, on a site behind its origin. No query. */
  path: string
  /** Empty: unknown. */
  title: string
  /** When they came, by their browser's clock as it was corrected; never after the report. */
  at: number
  /** How long it has been visible, when the browser reported it. */
  seconds: number
}

/** Whom a site vouches for, by a token. Nothing else changes it. */
export interface SignedRecord {
  sub: string
  name: string | null
  email: string | null
  site: ConversationSite
  /** When the token was accepted. */
  at: number
}

export interface VisitorRecord extends Profile {
  clientId: string
  /** When the visitor's browser last reported; null: never. */
  lastSeenAt: number | null
  /** Whether a link of a mail of this conversation unsubscribed the present address: its browser is told. */
  unsubscribed: boolean
  /** A mail to the present address came back: it gets none. */
  failing: boolean
  /** The times of the last MAILS_REMEMBERED mails. */
  mailedAt: readonly number[]
  /** Of the newest message that a mail was about. */
  mailedSeq: number
  /** Null: no site vouches for them. */
  signed: SignedRecord | null
  /** Their last PAGES_KEPT pages, in order of `at`. */
  pages: readonly PageView[]
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
  /** Page views to add, or to continue: those with the same path and `at`. */
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

/** Data of visitors. It belongs to their conversation: erasing that erases it too. */
export interface VisitorRepository {
  /**
   * Changes the visitor's data, atomically. `by`: an admin, or null for the visitor, whom it has then seen at `at`. With
   * `keyHash` (null: no key) only if the key `opens` the conversation.
   */
  update(clientId: string, change: ProfileChange, options: ProfileUpdateOptions): Promise<ProfileUpdated>
  /** Null entry: nothing was logged. The history may have been erased meanwhile: then nothing is stored. */
  mailed(clientId: string, mail: MailRecord): Promise<ActivityRecord | null>
  /**
   * Marks the address as failing and logs it. Null when it is not the present address, is marked already, or the history
   * was erased.
   */
  bounced(
    clientId: string,
    bounce: { epoch: string; email: string; at: number },
  ): Promise<ActivityRecord | null>
  /** Also before the first message. False when the conversation is missing or has another epoch. */
  sign(clientId: string, epoch: string, signed: SignedRecord): Promise<boolean>
  /** Of the present address. False when nothing is known of the visitor. */
  setUnsubscribed(clientId: string, unsubscribed: boolean): Promise<boolean>
  /** Null when nothing is known. */
  find(clientId: string): Promise<VisitorRecord | null>
  /** By clientId, without visitors who gave none. */
  names(clientIds: readonly string[]): Promise<Map<string, string>>
}
