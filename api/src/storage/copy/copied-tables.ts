import {
  ATTACHMENT_NAME_MAX,
  ATTACHMENTS_MAX,
  CARD_ID_PATTERN,
  EMAIL_MAX,
  LABEL_MAX,
  LABELS_MAX,
  LEFT_OUT_MAX,
  LEFT_OUT_NAME_MAX,
  MESSAGE_MAX,
  NOTE_MAX,
  PAGE_PATH_MAX,
  PAGE_SECONDS_MAX,
  PAGE_TITLE_MAX,
  PAGES_KEPT,
  PROFILE_NAME_MAX,
  QUOTED_MAX,
  REFERRER_MAX,
  SCHEDULED_MAX,
  SITE_NAME_MAX,
  SUB_MAX,
  VISITOR_KEYS_MAX,
} from '@proctorpass/shared/limits'
import { AttachmentTypeSchema } from '@proctorpass/shared/schemas/attachment'
import {
  type ActivityKind,
  CancelReasonSchema,
  LISTED_STATUSES,
  StatusSchema,
} from '@proctorpass/shared/schemas/inbox'
import Type, { type TSchema } from 'typebox'
import {
  Author,
  ClientId,
  Count,
  Hash,
  Id,
  OrNull,
  Positive,
  strict,
  Time,
  TimeOrNull,
  Token,
  text,
} from '../model/bounds.ts'
import type { AttachmentRecord } from '../model/conversation/attachments.ts'
import type { CopiedActivity, CopiedConversation, CopiedMessage } from '../model/conversation/rows.ts'
import { type CopiedVisitor, MAILS_REMEMBERED } from '../model/conversation/visitors.ts'
import { ATTACHMENT_NAME, UPLOAD_NAME } from '../model/file-store.ts'
import { copiedFields, ofPlainTables, type PlainRows } from '../model/plain-tables.ts'
import { type PublishedReview, REVIEWS } from '../model/reviews.ts'
import type { UserRecord } from '../model/users.ts'

/** The copied rows by table. Adapters derive the rest (a user name's key, a post's uploads). */
export interface CopiedRows extends Omit<PlainRows, 'users'> {
  uploads: { name: string; bytes: Uint8Array }
  users: UserRecord
  reviews: PublishedReview & { pending: boolean }
  milestones: { name: string; at: number }
  messages: CopiedMessage
  activity: CopiedActivity
  conversations: CopiedConversation
  /** The sent files. Unsent ones are not copied. */
  attachments: AttachmentRecord
  attachmentFiles: { name: string; bytes: Uint8Array }
}

export type Table = keyof CopiedRows

export type Entry = { [N in Table]: { table: N; row: CopiedRows[N] } }[Table]

/** Tables in which a conversation's rows stand together. */
export const CHAT_TABLES = ['messages', 'activity', 'conversations'] as const

export type ChatTable = (typeof CHAT_TABLES)[number]

/** Tables that hold stored files. */
export const FILE_TABLES = ['uploads', 'attachmentFiles'] as const

export type FileTable = (typeof FILE_TABLES)[number]

/** Tables that are copied row by row. */
export type SimpleTable = Exclude<Table, FileTable | ChatTable>

/** The most seen marks in a conversation. No team has this many admins, but `npm run admin` sets no bound. */
const SEEN_MAX = 10_000
const VISITOR: { [F in keyof CopiedVisitor]-?: TSchema } = {
  name: OrNull(text(PROFILE_NAME_MAX, 1)),
  email: OrNull(text(EMAIL_MAX, 1)),
  examAt: TimeOrNull,
  locale: OrNull(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' })),
  timeZone: OrNull(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$' })),
  device: OrNull(text(64, 1)),
  page: OrNull(Type.String({ pattern: '^(/|https?://)', maxLength: 2 * PAGE_PATH_MAX })),
  referrer: OrNull(Type.String({ pattern: '^https?://', maxLength: REFERRER_MAX })),
  card: OrNull(Type.String({ pattern: CARD_ID_PATTERN })),
  lastSeenAt: TimeOrNull,
  unsubscribed: Type.Boolean(),
  failing: Type.Boolean(),
  mailedAt: Type.Array(Time, { maxItems: MAILS_REMEMBERED }),
  mailedSeq: Count,
  signed: OrNull(
    strict({
      sub: text(SUB_MAX, 1),
      name: OrNull(text(PROFILE_NAME_MAX, 1)),
      email: OrNull(text(EMAIL_MAX, 1)),
      site: strict({ _id: ClientId, name: text(SITE_NAME_MAX, 1) }),
      at: Time,
    }),
  ),
  pages: Type.Array(
    strict({
      path: Type.String({ pattern: '^(/|https?://)', maxLength: 2 * PAGE_PATH_MAX }),
      title: text(PAGE_TITLE_MAX),
      at: Time,
      seconds: Type.Integer({ minimum: 0, maximum: PAGE_SECONDS_MAX }),
    }),
    { maxItems: PAGES_KEPT },
  ),
}

const Iso = Type.String({ pattern: '^[0-9T:.+Z-]{20,32}$' })
const Labels = Type.Array(text(LABEL_MAX, 1), { maxItems: LABELS_MAX })
const LeftOut = Type.Array(text(LEFT_OUT_NAME_MAX, 1), { minItems: 1, maxItems: LEFT_OUT_MAX + 1 })
/** An entry's kind decides its data. */
export const ACTIVITY_DATA: { [K in ActivityKind]: TSchema } = {
  note: strict({ text: text(NOTE_MAX, 1), mentions: Type.Array(Token, { maxItems: NOTE_MAX }) }),
  status: strict({ from: StatusSchema, to: StatusSchema, until: Type.Optional(Iso) }),
  assignee: strict({ from: OrNull(Token), to: OrNull(Token) }),
  labels: strict({ added: Labels, removed: Labels }),
  settled: strict({ upTo: OrNull(Positive) }),
  scheduled: strict({
    action: Type.Union(['created', 'changed', 'canceled'].map((action) => Type.Literal(action))),
    sendAt: Iso,
    reason: Type.Optional(CancelReasonSchema),
    text: Type.Optional(text(MESSAGE_MAX)),
  }),
  edit: strict({ seq: Positive, edit: Positive, text: text(MESSAGE_MAX) }),
  block: strict({ until: OrNull(text(32)) }),
  profile: strict({ fields: Type.Array(text(32, 1), { maxItems: 16 }) }),
  rating: strict({ score: Type.Integer({ minimum: 1, maximum: 5 }), words: OrNull(text(1_000)) }),
  mail: Type.Union([
    strict({ failed: Type.Boolean() }),
    strict({
      from: text(EMAIL_MAX),
      text: text(MESSAGE_MAX),
      verified: Type.Boolean(),
      quoted: Type.Optional(text(QUOTED_MAX)),
      automatic: Type.Optional(Type.Literal(true)),
      leftOut: Type.Optional(LeftOut),
    }),
    strict({ leftOut: LeftOut }),
  ]),
  identity: strict({ sub: text(SUB_MAX, 1), clientId: ClientId }),
}

const Pixels = Type.Integer({ minimum: 1, maximum: 100_000 })
const FILE = { _id: Id, name: text(ATTACHMENT_NAME_MAX, 1), type: AttachmentTypeSchema, bytes: Count }
/** The fields of a file that its message shows. */
const ATTACHMENT = {
  ...FILE,
  width: Type.Optional(Pixels),
  height: Type.Optional(Pixels),
}

const { users, sessions, blogs, ...others } = ofPlainTables(copiedFields) as {
  [N in keyof PlainRows]: { [F in keyof CopiedRows[N]]-?: TSchema }
}

/**
 * Describes all copied rows for both adapters and for backups: tables and fields in a backup's order, each row's key
 * first, and each field's bounds. Every value that a store has ever accepted passes; harmful ones do not.
 */
export const ROWS: { [N in keyof CopiedRows]: { [F in keyof CopiedRows[N]]-?: TSchema } } = {
  uploads: { name: Type.String({ pattern: UPLOAD_NAME.source }), bytes: Type.Any() },
  users,
  // Every backup has sessions before posts.
  sessions,
  blogs,
  reviews: { ...REVIEWS.fields, pending: Type.Boolean() },
  ...others,
  milestones: { name: Type.String({ pattern: '^[a-z-]{1,64}$' }), at: Time },
  messages: {
    _id: Id,
    clientId: ClientId,
    epoch: Token,
    seq: Positive,
    senderId: Author,
    message: text(MESSAGE_MAX),
    createdAt: Time,
    nonce: Token,
    visitorCount: Count,
    waitingSince: TimeOrNull,
    attachments: OrNull(Type.Array(strict(ATTACHMENT), { minItems: 1, maxItems: ATTACHMENTS_MAX })),
    via: OrNull(Type.Literal('mail')),
    quoted: OrNull(text(QUOTED_MAX, 1)),
    edited: OrNull(strict({ edit: Positive, message: text(MESSAGE_MAX), at: Time })),
  },
  activity: {
    clientId: ClientId,
    epoch: Token,
    n: Positive,
    _id: Id,
    kind: Type.Union(Object.keys(ACTIVITY_DATA).map((kind) => Type.Literal(kind))),
    by: OrNull(Author),
    at: Time,
    afterSeq: Count,
    nonce: OrNull(Token),
    data: Type.Object({}),
  },
  conversations: {
    clientId: ClientId,
    epoch: Token,
    seq: Count,
    lastAt: Time,
    visitorCount: Count,
    waitingSince: TimeOrNull,
    visitorRead: Count,
    adminRead: Count,
    adminReadCount: Count,
    keyHashes: Type.Array(Hash, { maxItems: VISITOR_KEYS_MAX }),
    status: StatusSchema,
    snoozedUntil: TimeOrNull,
    assigneeId: Type.Union([Token, Type.Null()]),
    labels: Type.Array(text(LABEL_MAX, 1), { maxItems: LABELS_MAX }),
    version: Count,
    settledSeq: Count,
    blockedUntil: TimeOrNull,
    rated: Type.Boolean(),
    spam: OrNull(
      strict({
        at: Time,
        visitorCount: Count,
        status: Type.Union(LISTED_STATUSES.map((status) => Type.Literal(status))),
        snoozedUntil: TimeOrNull,
      }),
    ),
    scheduled: OrNull(
      Type.Array(
        strict({
          nonce: Token,
          by: Author,
          message: text(MESSAGE_MAX),
          attachments: Type.Array(strict(ATTACHMENT), { maxItems: ATTACHMENTS_MAX }),
          sendAt: Time,
          anyway: Type.Boolean(),
          version: Positive,
          missed: Type.Optional(Type.Literal(true)),
        }),
        { minItems: 1, maxItems: SCHEDULED_MAX },
      ),
    ),
    edits: Count,
    siteId: OrNull(ClientId),
    siteName: OrNull(text(SITE_NAME_MAX, 1)),
    visitor: Type.Union([Type.Object(VISITOR, { additionalProperties: false }), Type.Null()]),
    seen: Type.Array(strict({ userId: Token, seq: Count, n: Count }), { maxItems: SEEN_MAX }),
  },
  attachments: {
    _id: Id,
    clientId: ClientId,
    senderId: Author,
    nonce: Token,
    sentHash: Token,
    keyHash: OrNull(Token),
    name: FILE.name,
    type: FILE.type,
    bytes: FILE.bytes,
    width: OrNull(Pixels),
    height: OrNull(Pixels),
    createdAt: Time,
    messageNonce: Token,
  },
  attachmentFiles: { name: Type.String({ pattern: ATTACHMENT_NAME.source }), bytes: Type.Any() },
}

/** Every row's fields in the order of comparison. The first field is the key. */
export const FIELDS = Object.fromEntries(
  Object.entries(ROWS).map(([table, fields]) => [table, Object.keys(fields)]),
) as unknown as { readonly [N in Table]: readonly (keyof CopiedRows[N] & string)[] }

export const TABLES = Object.keys(FIELDS) as Table[]

export const SIMPLE_TABLES = TABLES.filter(
  (table) => !isFileTable(table) && !isChatTable(table),
) as SimpleTable[]

/** A backup leaves these tables out and a restore drops them, so all admins sign in again. */
export const SESSION_TABLES: readonly Table[] = ['sessions', 'challenges', 'subscriptions']

export function isChatTable(table: Table): table is ChatTable {
  return (CHAT_TABLES as readonly Table[]).includes(table)
}

export function isFileTable(table: Table): table is FileTable {
  return (FILE_TABLES as readonly Table[]).includes(table)
}

export function isFileEntry(entry: Entry): entry is Extract<Entry, { table: FileTable }> {
  return isFileTable(entry.table)
}

/** Returns the table under which a table's rows count as progress. */
export function progressTable(table: Table): Table {
  return isChatTable(table) || table === 'attachments' || table === 'attachmentFiles' ? 'messages' : table
}
