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

export const STATUSES = ['open', 'snoozed', 'resolved', 'spam'] as const
export const StatusSchema = Type.Union([
  Type.Literal('open'),
  Type.Literal('snoozed'),
  Type.Literal('resolved'),
  Type.Literal('spam'),
])
export type Status = (typeof STATUSES)[number]
const STATUS_PATTERN = `(?:${STATUSES.join('|')})`
/** One or more statuses, separated by commas. */
export const StatusListSchema = Type.String({ pattern: `^${STATUS_PATTERN}(?:,${STATUS_PATTERN}){0,3}$` })
/** The statuses that count and that a list shows unless it names others. */
export const LISTED_STATUSES = ['open', 'snoozed', 'resolved'] as const satisfies readonly Status[]
/** A conversation with one of these statuses is not over. */
export const UNRESOLVED_STATUSES = ['open', 'snoozed'] as const satisfies readonly Status[]

const OrNull = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()])
const TextOrNull = OrNull(Type.String())
const UserIdSchema = Type.String({ pattern: ID_PATTERN })

/**
 * What a visitor said about themselves, or their browser about itself. It is a claim, never an identity. Null means
 * unknown.
 */
export const VisitorClaimSchema = Type.Object({
  name: TextOrNull,
  email: TextOrNull,
  /** A language tag, such as `en-US`. */
  locale: TextOrNull,
  /** An IANA time zone name. */
  timeZone: TextOrNull,
  /** The time in ISO 8601. */
  examAt: TextOrNull,
  /**
   * The person for whom a site vouches, by a token that its server signed; null without one. Claims never change it.
   * `at` is when the token was accepted, in ISO 8601.
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
  /** The time in ISO 8601. Null unless the status is `snoozed`. */
  snoozedUntil: TextOrNull,
  /** The user ID of the admin who has taken the conversation. */
  assigneeId: TextOrNull,
  labels: Type.Array(Type.String()),
  /** The version is 0 at first. Each change to the fields above increments it, and so does each `settled`. */
  version: Type.Integer(),
})
export type InboxState = Static<typeof InboxStateSchema>

/**
 * A change to a conversation. Undefined fields stay as they are. `snoozedUntil` belongs to the status `snoozed`;
 * `labels` replaces the list. `spam: false` takes back the status `spam` and restores the former status and snooze; the
 * conversation is open if its visitor has written since or the snooze is over. `settled` says that the messages up to
 * `upTo`, by default the newest one, need no answer; false takes the last such decision back.
 */
export const ConversationChangeSchema = Type.Object({
  status: Type.Optional(StatusSchema),
  snoozedUntil: Type.Optional(OrNull(Type.String({ maxLength: 64 }))),
  spam: Type.Optional(Type.Literal(false)),
  assigneeId: Type.Optional(OrNull(UserIdSchema)),
  labels: Type.Optional(Type.Array(Type.String({ maxLength: 2 * LABEL_MAX + 64 }), { maxItems: LABELS_MAX })),
  settled: Type.Optional(Type.Boolean()),
  upTo: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
})
export type ConversationChange = Static<typeof ConversationChangeSchema>

/**
 * What becomes of the conversation once an admin's message is stored, in the same write. `snoozedUntil` belongs to the
 * status `snoozed`. Visitors have no say in it.
 */
export const ThenSchema = Type.Object({
  status: Type.Union([Type.Literal('resolved'), Type.Literal('snoozed')]),
  snoozedUntil: Type.Optional(OrNull(Type.String({ maxLength: 64 }))),
})
export type Then = Static<typeof ThenSchema>

/** The body of PATCH /chat/admin/:clientId. With `version`, the change is refused if another version is stored. */
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
 * The result of a bulk change. `missing` holds the IDs without a conversation, `stored` what changed, with the version
 * that the change made, and `failed` what could not be changed now. The other conversations already had that state.
 */
export const BulkChangedSchema = Type.Object({
  changed: Type.Integer(),
  missing: Type.Integer(),
  stored: Type.Optional(Type.Array(Type.Object({ clientId: Type.String(), version: Type.Integer() }))),
  failed: Type.Optional(Type.Array(Type.String())),
})
export type BulkChanged = Static<typeof BulkChangedSchema>

/**
 * The inbox's counts. Open, mine, and unassigned count open conversations; examSoon counts those that are not resolved.
 * Only `spam` counts spam.
 */
export const CountsSchema = Type.Object({
  open: Type.Integer(),
  mine: Type.Integer(),
  unassigned: Type.Integer(),
  examSoon: Type.Integer(),
  snoozed: Type.Integer(),
  resolved: Type.Integer(),
  spam: Type.Integer(),
  all: Type.Integer(),
  /** Open conversations by their site's ID, with `own` for our own pages. Missing if no site has any. */
  sites: Type.Optional(Type.Record(Type.String(), Type.Integer())),
})
export type Counts = Static<typeof CountsSchema>

/** Every label in use, as it was first written, in alphabetical order. */
export const LabelListSchema = Type.Object({ labels: Type.Array(Type.String()) })
export type LabelList = Static<typeof LabelListSchema>

const entry = <K extends string, D extends Type.TSchema>(kind: K, data: D) =>
  Type.Object({
    _id: Type.String(),
    clientId: Type.String(),
    /** The entry's number: 1, 2, 3, and so on in each conversation, without gaps. */
    n: Type.Integer(),
    kind: Type.Literal(kind),
    /** A user ID, or `key:` and an API key's ID. Null for the system or the visitor. */
    by: TextOrNull,
    /** The time in ISO 8601. */
    at: Type.String(),
    /** The seq of the message after which the entry is shown. It never falls as `n` grows. */
    afterSeq: Type.Integer(),
    data,
  })

/** Why a scheduled message was not sent. */
export const CancelReasonSchema = Type.Union([
  Type.Literal('admin'),
  Type.Literal('visitor'),
  Type.Literal('late'),
  Type.Literal('spam'),
  Type.Literal('sender'),
])
export type CancelReason = Static<typeof CancelReasonSchema>

/** An entry in a conversation's log for admins: a note or a change. */
export const ActivitySchema = Type.Union([
  entry('note', Type.Object({ text: Type.String(), mentions: Type.Array(Type.String()) })),
  entry('status', Type.Object({ from: StatusSchema, to: StatusSchema, until: Type.Optional(Type.String()) })),
  entry('assignee', Type.Object({ from: TextOrNull, to: TextOrNull })),
  entry('labels', Type.Object({ added: Type.Array(Type.String()), removed: Type.Array(Type.String()) })),
  /** The messages up to `upTo` need no answer. Null takes the last such entry back. */
  entry('settled', Type.Object({ upTo: OrNull(Type.Integer()) })),
  /**
   * A message was scheduled, changed, or canceled before it was sent. `sendAt` is its time. Only a canceled one has a
   * reason and its words: an admin canceled it, the visitor wrote first, it was too late, the conversation is spam, or its
   * sender is disabled.
   */
  entry(
    'scheduled',
    Type.Object({
      action: Type.Union([Type.Literal('created'), Type.Literal('changed'), Type.Literal('canceled')]),
      sendAt: Type.String(),
      reason: Type.Optional(CancelReasonSchema),
      text: Type.Optional(Type.String()),
    }),
  ),
  /** A message was corrected. `text` has its words before that. */
  entry('edit', Type.Object({ seq: Type.Integer(), edit: Type.Integer(), text: Type.String() })),
  entry('block', Type.Object({ until: TextOrNull })),
  entry('profile', Type.Object({ fields: Type.Array(Type.String()) })),
  entry('rating', Type.Object({ score: Type.Integer(), words: TextOrNull })),
  entry(
    'mail',
    Type.Union([
      // This is a mail to the visitor that could not be delivered.
      Type.Object({ failed: Type.Boolean() }),
      // This is a mail that did not become a message, because of its sender or because a program wrote it.
      Type.Object({
        from: Type.String(),
        text: Type.String(),
        verified: Type.Boolean(),
        quoted: Type.Optional(Type.String()),
        automatic: Type.Optional(Type.Literal(true)),
        leftOut: Type.Optional(Type.Array(Type.String())),
      }),
      // These are the names of files that a message by mail could not have.
      Type.Object({ leftOut: Type.Array(Type.String()) }),
    ]),
  ),
  /** A site signed the visitor. `clientId` is their other conversation's, or this one's if it was adopted. */
  entry('identity', Type.Object({ sub: Type.String(), clientId: Type.String() })),
])
export type Activity = Static<typeof ActivitySchema>
export type ActivityKind = Activity['kind']

/** The data of a mail that did not become a message. */
export type MailEntryData = Extract<Extract<Activity, { kind: 'mail' }>['data'], { from: string }>

/** The data of an entry beside a message by mail. */
export type LeftOutData = Required<Pick<MailEntryData, 'leftOut'>>

/** The path of a log's entry. */
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
 * Entries in the order of `n`. The page's own `n` is the newest entry's, or 0. `more` means the same as in a page of
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
  /** The admin who takes the conversation with this note. The note mentions them. */
  assigneeId: Type.Optional(UserIdSchema),
})
export type PostNote = Static<typeof PostNoteSchema>
export const PostedNoteSchema = Type.Object({ message: Type.String(), data: ActivitySchema })
export type PostedNote = Static<typeof PostedNoteSchema>

/** A visitor's rating, given when their conversation was resolved. */
export const VisitorRatingSchema = Type.Object({
  /** The time in ISO 8601. */
  at: Type.String(),
  /** The score, from 1 to 5. */
  score: Type.Integer(),
  words: TextOrNull,
})
export type VisitorRating = Static<typeof VisitorRatingSchema>

/** The body of POST /chat/admin/:clientId/block. Null blocks for good. */
export const BlockSchema = Type.Object({
  hours: OrNull(Type.Integer({ minimum: 1, maximum: BLOCK_HOURS_MAX })),
})
export type Block = Static<typeof BlockSchema>

/** A page that a visitor saw. */
export const PageViewSchema = Type.Object({
  /** A path, which for a site follows its origin. It has no query. */
  path: Type.String({ maxLength: 2 * PAGE_PATH_MAX + 64 }),
  /** The page's title; empty if it is unknown. */
  title: Type.String({ maxLength: 2 * PAGE_TITLE_MAX + 64 }),
  /** When the visitor opened the page, in ISO 8601. */
  at: Type.String({ maxLength: 64 }),
  /** The seconds for which the page has been visible. */
  seconds: Type.Integer({ minimum: 0, maximum: PAGE_SECONDS_MAX }),
})
export type PageView = Static<typeof PageViewSchema>

/** The answer to GET /chat/admin/:clientId/visitor: the visitor's claim, and their data. Times are in ISO 8601. */
export const VisitorSchema = Type.Object({
  clientId: Type.String(),
  ...VisitorClaimSchema.properties,
  /** Browser and system, such as `Chrome on Android`, derived by the server. */
  device: TextOrNull,
  /** The site on which the conversation began. Null means our own pages. */
  site: OrNull(ConversationSiteSchema),
  /** The page that the visitor's browser reported last: a path, which for a site follows its origin. */
  page: TextOrNull,
  /** The last pages after the first message, oldest first. */
  pages: Type.Array(PageViewSchema),
  /** The origin of the site from which the visitor came. */
  referrer: TextOrNull,
  /** The ID of the card that the visitor was shown before their first message. The card may have been deleted since. */
  card: TextOrNull,
  firstSeenAt: Type.String(),
  lastSeenAt: Type.String(),
  /** Whether the visitor's browser has an open socket, on any node. False with polling. */
  online: Type.Boolean(),
  /** The end of a block in ISO 8601, or `forever`. Null if the visitor is not blocked. */
  blockedUntil: TextOrNull,
  /** The ratings, newest first, at most 100. */
  ratings: Type.Array(VisitorRatingSchema),
})
export type Visitor = Static<typeof VisitorSchema>

/** The body of PATCH /chat/admin/:clientId/visitor. Null clears a value. The use case judges the texts. */
export const CorrectVisitorSchema = Type.Object({
  name: Type.Optional(OrNull(Type.String({ maxLength: 2 * PROFILE_NAME_MAX + 64 }))),
  email: Type.Optional(OrNull(Type.String({ maxLength: 512 }))),
  examAt: Type.Optional(OrNull(Type.String({ maxLength: 64 }))),
})
export type CorrectVisitor = Static<typeof CorrectVisitorSchema>

/** The body of PATCH /chat/:clientId/profile. Null clears a value. The use case judges the texts. */
export const PatchProfileSchema = Type.Object({
  ...CorrectVisitorSchema.properties,
  locale: Type.Optional(OrNull(Type.String({ maxLength: 128 }))),
  timeZone: Type.Optional(OrNull(Type.String({ maxLength: 128 }))),
  page: Type.Optional(OrNull(Type.String({ maxLength: 4_096 }))),
  referrer: Type.Optional(OrNull(Type.String({ maxLength: 4_096 }))),
  /** The card's ID. The first one stays. Ignored if the settings have no such card. */
  card: Type.Optional(Type.String({ maxLength: 64 })),
  /** Pages to add to the known ones. A page with the same path and `at` is the same page. */
  pages: Type.Optional(Type.Array(PageViewSchema, { maxItems: PAGES_KEPT })),
})
export type PatchProfile = Static<typeof PatchProfileSchema>

/** The answer to PATCH /chat/:clientId/profile. */
export const ReportedSchema = Type.Object({
  message: Type.String(),
  unsubscribed: Type.Optional(
    Type.Literal(true, {
      description: 'A link of a mail about this conversation unsubscribed the present address.',
    }),
  ),
})
export type Reported = Static<typeof ReportedSchema>
