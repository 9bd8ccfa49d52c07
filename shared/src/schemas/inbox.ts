import Type, { type Static } from 'typebox'
import {
  BLOCK_HOURS_MAX,
  BULK_MAX,
  ID_PATTERN,
  LABEL_MAX,
  LABELS_MAX,
  NOTE_MAX,
  PAGE_LIMIT_MAX,
  PAGE_PATH_MAX,
  PAGE_SECONDS_MAX,
  PAGE_TITLE_MAX,
  PAGES_KEPT,
  PROFILE_NAME_MAX,
} from '../limits.ts'
import { ClientIdSchema, NonceSchema } from './ids.ts'
import { ConversationSiteSchema } from './site.ts'

export const STATUSES = ['open', 'snoozed', 'resolved'] as const
export const StatusSchema = Type.Union([
  Type.Literal('open'),
  Type.Literal('snoozed'),
  Type.Literal('resolved'),
])
export type Status = (typeof STATUSES)[number]

const OrNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const TextOrNull = OrNull(Type.String())
const UserIdSchema = Type.String({ pattern: ID_PATTERN })

/** What a visitor said about themselves, or their browser about itself: a claim, never an identity. Null: unknown. */
export const VisitorClaimSchema = Type.Object({
  name: TextOrNull,
  email: TextOrNull,
  /** Such as `en-US`. */
  locale: TextOrNull,
  /** An IANA name. */
  timeZone: TextOrNull,
  /** ISO 8601. */
  examAt: TextOrNull,
  /**
   * Whom a site vouches for, by a token that its server signed; null without one. Claims never change it. `at`: when the
   * token was accepted, ISO 8601.
   */
  signed: OrNull(
    Type.Object({
      sub: Type.String(),
      name: TextOrNull,
      email: TextOrNull,
      site: ConversationSiteSchema,
      at: Type.String(),
    }),
  ),
})
export type VisitorClaim = Static<typeof VisitorClaimSchema>

/** What admins decide about a conversation. */
export const InboxStateSchema = Type.Object({
  status: StatusSchema,
  /** ISO 8601; null unless the status is `snoozed`. */
  snoozedUntil: TextOrNull,
  /** The user id of the admin who has taken the conversation. */
  assigneeId: TextOrNull,
  labels: Type.Array(Type.String()),
  /** 0 at first; each change of the fields above increments it. */
  version: Type.Integer(),
})
export type InboxState = Static<typeof InboxStateSchema>

/** Undefined fields stay as they are. `snoozedUntil` belongs to the status `snoozed`; `labels` replaces the list. */
export const ConversationChangeSchema = Type.Object({
  status: Type.Optional(StatusSchema),
  snoozedUntil: Type.Optional(OrNull(Type.String({ maxLength: 64 }))),
  assigneeId: Type.Optional(OrNull(UserIdSchema)),
  labels: Type.Optional(Type.Array(Type.String({ maxLength: 2 * LABEL_MAX + 64 }), { maxItems: LABELS_MAX })),
})
export type ConversationChange = Static<typeof ConversationChangeSchema>

/** Body of PATCH /chat/admin/:clientId. With `version`, the change requires that it is the stored one. */
export const PatchConversationSchema = Type.Object({
  ...ConversationChangeSchema.properties,
  version: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
})
export type PatchConversation = Static<typeof PatchConversationSchema>

export const BulkChangeSchema = Type.Object({
  clientIds: Type.Array(ClientIdSchema, { minItems: 1, maxItems: BULK_MAX }),
  change: ConversationChangeSchema,
})
export type BulkChange = Static<typeof BulkChangeSchema>
/**
 * `missing`: ids without a conversation. `stored`: what changed, with the version that the change made. `failed`: what could
 * not be changed now. The rest had that state already.
 */
export const BulkChangedSchema = Type.Object({
  changed: Type.Integer(),
  missing: Type.Integer(),
  stored: Type.Optional(Type.Array(Type.Object({ clientId: Type.String(), version: Type.Integer() }))),
  failed: Type.Optional(Type.Array(Type.String())),
})
export type BulkChanged = Static<typeof BulkChangedSchema>

/** Open, mine and unassigned count open conversations; examSoon those that are not resolved. */
export const CountsSchema = Type.Object({
  open: Type.Integer(),
  mine: Type.Integer(),
  unassigned: Type.Integer(),
  examSoon: Type.Integer(),
  snoozed: Type.Integer(),
  resolved: Type.Integer(),
  all: Type.Integer(),
  /** Open conversations by the id of their site; `own`: those of our own pages. Missing without any of a site. */
  sites: Type.Optional(Type.Record(Type.String(), Type.Integer())),
})
export type Counts = Static<typeof CountsSchema>

/** Every label in use, as first written, in alphabetical order. */
export const LabelListSchema = Type.Object({ labels: Type.Array(Type.String()) })
export type LabelList = Static<typeof LabelListSchema>

const entry = <K extends string, D extends Type.TSchema>(kind: K, data: D) =>
  Type.Object({
    _id: Type.String(),
    clientId: Type.String(),
    /** 1, 2, 3 … in each conversation, without gaps. */
    n: Type.Integer(),
    kind: Type.Literal(kind),
    /** A user id, or `key:` and the id of an API key; null: the system or the visitor. */
    by: TextOrNull,
    /** ISO 8601. */
    at: Type.String(),
    /** The seq of the message behind which the entry is shown; never falls as `n` grows. */
    afterSeq: Type.Integer(),
    data,
  })

/** An entry of a conversation's log for admins: a note or a change. */
export const ActivitySchema = Type.Union([
  entry('note', Type.Object({ text: Type.String(), mentions: Type.Array(Type.String()) })),
  entry('status', Type.Object({ from: StatusSchema, to: StatusSchema, until: Type.Optional(Type.String()) })),
  entry('assignee', Type.Object({ from: TextOrNull, to: TextOrNull })),
  entry('labels', Type.Object({ added: Type.Array(Type.String()), removed: Type.Array(Type.String()) })),
  entry('block', Type.Object({ until: TextOrNull })),
  entry('profile', Type.Object({ fields: Type.Array(Type.String()) })),
  entry('rating', Type.Object({ score: Type.Integer(), words: TextOrNull })),
  entry(
    'mail',
    Type.Union([
      // A mail to the visitor that could not be delivered.
      Type.Object({ failed: Type.Boolean() }),
      // A mail that is no message, because of its sender or because a program wrote it.
      Type.Object({
        from: Type.String(),
        text: Type.String(),
        verified: Type.Boolean(),
        quoted: Type.Optional(Type.String()),
        automatic: Type.Optional(Type.Literal(true)),
        leftOut: Type.Optional(Type.Array(Type.String())),
      }),
      // The names of files that a message by mail could not have.
      Type.Object({ leftOut: Type.Array(Type.String()) }),
    ]),
  ),
  /** A site signed the visitor. `clientId`: of their other conversation, or of this one when it was adopted. */
  entry('identity', Type.Object({ sub: Type.String(), clientId: Type.String() })),
])
export type Activity = Static<typeof ActivitySchema>
export type ActivityKind = Activity['kind']

/** An entry for a mail that is no message. */
export type MailEntryData = Extract<Extract<Activity, { kind: 'mail' }>['data'], { from: string }>

/** An entry beside a message by mail. */
export type LeftOutData = Required<Pick<MailEntryData, 'leftOut'>>

/** The nonce of the message that "Add to conversation" makes of an entry. Visitors don't know the id. */
export function nonceOfMailEntry(entryId: string): string {
  return `mail-${entryId}`
}

/** Path of an entry of a log. */
export const EntryParamSchema = Type.Object({
  clientId: ClientIdSchema,
  n: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
})

export const ActivityQuerySchema = Type.Object({
  after: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  before: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_LIMIT_MAX })),
})
export type ActivityQuery = Static<typeof ActivityQuerySchema>
/**
 * Entries in the order of `n`; the page's own `n` is the newest entry's, or 0. `more` means the same as in a page of
 * messages. `people` names the API keys among the authors.
 */
export const ActivityPageSchema = Type.Object({
  activity: Type.Array(ActivitySchema),
  n: Type.Integer(),
  more: Type.Boolean(),
  people: Type.Optional(Type.Record(Type.String(), Type.Object({ name: Type.String() }))),
})
export type ActivityPage = Static<typeof ActivityPageSchema>

export const PostNoteSchema = Type.Object({
  nonce: NonceSchema,
  text: Type.String({ maxLength: 2 * NOTE_MAX + 64 }),
})
export type PostNote = Static<typeof PostNoteSchema>
export const PostedNoteSchema = Type.Object({ message: Type.String(), data: ActivitySchema })
export type PostedNote = Static<typeof PostedNoteSchema>

/** What a visitor said when their conversation was resolved. */
export const VisitorRatingSchema = Type.Object({
  /** ISO 8601. */
  at: Type.String(),
  /** 1 to 5. */
  score: Type.Integer(),
  words: TextOrNull,
})
export type VisitorRating = Static<typeof VisitorRatingSchema>

/** Body of POST /chat/admin/:clientId/block. Null: for good. */
export const BlockSchema = Type.Object({
  hours: OrNull(Type.Integer({ minimum: 1, maximum: BLOCK_HOURS_MAX })),
})
export type Block = Static<typeof BlockSchema>
/** `blockedUntil`: as in `Visitor`. */
export const BlockedSchema = Type.Object({ message: Type.String(), blockedUntil: TextOrNull })
export type Blocked = Static<typeof BlockedSchema>

/** A page that a visitor saw. */
export const PageViewSchema = Type.Object({
  /** A path, on a site behind its origin. No query. */
  path: Type.String({ maxLength: 2 * PAGE_PATH_MAX + 64 }),
  /** The page's title; empty if it is unknown. */
  title: Type.String({ maxLength: 2 * PAGE_TITLE_MAX + 64 }),
  /** When the visitor opened the page, in ISO 8601. */
  at: Type.String({ maxLength: 64 }),
  /** The seconds for which the page has been visible. */
  seconds: Type.Integer({ minimum: 0, maximum: PAGE_SECONDS_MAX }),
})
export type PageView = Static<typeof PageViewSchema>

/** Answer of GET /chat/admin/:clientId/visitor: their claim, and their data. Times are ISO 8601. */
export const VisitorSchema = Type.Object({
  clientId: Type.String(),
  ...VisitorClaimSchema.properties,
  /** Browser and system, such as `Chrome on Android`, derived by the server. */
  device: TextOrNull,
  /** The site on which the conversation began. Null means our own pages. */
  site: OrNull(ConversationSiteSchema),
  /** The page that their browser reported last: a path, on a site behind its origin. */
  page: TextOrNull,
  /** The last pages after the first message, oldest first. */
  pages: Type.Array(PageViewSchema),
  /** The origin of the site they came from. */
  referrer: TextOrNull,
  /** The id of the card that they were shown before their first message; it may be deleted since. */
  card: TextOrNull,
  firstSeenAt: Type.String(),
  lastSeenAt: Type.String(),
  /** Whether their browser has an open socket, on any node; false in polling. */
  online: Type.Boolean(),
  /** Null: not blocked. ISO 8601, or `forever`. */
  blockedUntil: TextOrNull,
  /** Newest first, at most 100. */
  ratings: Type.Array(VisitorRatingSchema),
})
export type Visitor = Static<typeof VisitorSchema>

/** Body of PATCH /chat/admin/:clientId/visitor; null clears. The use case judges the texts. */
export const CorrectVisitorSchema = Type.Object({
  name: Type.Optional(OrNull(Type.String({ maxLength: 2 * PROFILE_NAME_MAX + 64 }))),
  email: Type.Optional(OrNull(Type.String({ maxLength: 512 }))),
  examAt: Type.Optional(OrNull(Type.String({ maxLength: 64 }))),
})
export type CorrectVisitor = Static<typeof CorrectVisitorSchema>

/** Body of PATCH /chat/:clientId/profile; null clears. The use case judges the texts. */
export const PatchProfileSchema = Type.Object({
  ...CorrectVisitorSchema.properties,
  locale: Type.Optional(OrNull(Type.String({ maxLength: 128 }))),
  timeZone: Type.Optional(OrNull(Type.String({ maxLength: 128 }))),
  page: Type.Optional(OrNull(Type.String({ maxLength: 4_096 }))),
  referrer: Type.Optional(OrNull(Type.String({ maxLength: 4_096 }))),
  /** The first one stays. Ignored when the settings have no such card. */
  card: Type.Optional(Type.String({ maxLength: 64 })),
  /** Added to those that are known; one with the same path and `at` is the same. */
  pages: Type.Optional(Type.Array(PageViewSchema, { maxItems: PAGES_KEPT })),
})
export type PatchProfile = Static<typeof PatchProfileSchema>

/** Answer of PATCH /chat/:clientId/profile. */
export const ReportedSchema = Type.Object({
  message: Type.String(),
  unsubscribed: Type.Optional(
    Type.Literal(true, {
      description: 'A link of a mail about this conversation unsubscribed the present address.',
    }),
  ),
})
export type Reported = Static<typeof ReportedSchema>
