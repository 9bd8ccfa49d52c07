import Type, { type Static } from 'typebox'
import {
  CLIENT_ID_PATTERN,
  CONVERSATIONS_LIMIT_MAX,
  ID_PATTERN,
  LABEL_MAX,
  PAGE_LIMIT_MAX,
  RATING_WORDS_MAX,
  VISITOR_KEY_PATTERN,
} from '../limits.ts'
import { AttachmentIdsSchema, AttachmentSchema } from './attachment.ts'
import { ClientIdSchema, NonceSchema } from './ids.ts'
import { InboxStateSchema, StatusListSchema, ThenSchema, VisitorClaimSchema } from './inbox.ts'
import { ConversationSiteSchema } from './site.ts'

const EpochSchema = Type.String({ minLength: 1, maxLength: 64 })
const SeqSchema = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const MessageSchema = Type.Object({
  _id: Type.String(),
  clientId: Type.String(),
  /** The clientId for a visitor's message, the user ID for an admin's. */
  senderId: Type.String(),
  message: Type.String(),
  /** The server's time in ISO 8601, UTC, with milliseconds. It is never earlier than the previous message's. */
  createdAt: Type.String(),
  /** The message's position in its conversation: 1, 2, 3, and so on. Order, gaps, and sync use it. */
  seq: Type.Integer(),
  epoch: Type.String(),
  nonce: Type.String(),
  /** Missing without files. With files, `message` may be empty. */
  attachments: Type.Optional(Type.Array(AttachmentSchema)),
  /** Missing for a message from the chat. */
  via: Type.Optional(Type.Literal('mail')),
  /** The text that a mail quoted, and the mail's signature. The conversation list leaves it out. */
  quoted: Type.Optional(Type.String()),
  /** The number of the message's newest correction. Corrections count 1, 2, 3 in each epoch. Missing without one. */
  edit: Type.Optional(Type.Integer()),
  /** The newest correction's time in ISO 8601. Missing without one. */
  editedAt: Type.Optional(Type.String()),
})
export type Message = Static<typeof MessageSchema>

export const TransportSchema = Type.Union([Type.Literal('push'), Type.Literal('polling')])
export type Transport = Static<typeof TransportSchema>

/** The newest seq that each side has seen. */
export const ReadMarksSchema = Type.Object({ visitor: Type.Integer(), admin: Type.Integer() })
export type ReadMarks = Static<typeof ReadMarksSchema>

/**
 * The admins who wrote messages, by user ID. `name` is what visitors see: the display name or, without one, the brand.
 * `face` is the URL of the admin's picture, or null. It is missing unless the settings show the team.
 */
export const PeopleSchema = Type.Record(
  Type.String(),
  Type.Object({
    name: Type.String(),
    face: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  }),
)
export type People = Static<typeof PeopleSchema>

/**
 * A page of a conversation, in order of seq. `seq` is the conversation's newest (0 if there is none yet), and `epoch`
 * is the empty string while the conversation does not exist. `more` means that the page ended after `limit` messages or
 * PAGE_BYTES_MAX bytes, and that others follow, or that the query's `edits` leaves further corrections.
 */
export const PageSchema = Type.Object({
  messages: Type.Array(MessageSchema),
  seq: Type.Integer(),
  epoch: Type.String(),
  more: Type.Boolean(),
  read: ReadMarksSchema,
  transport: TransportSchema,
  /** The admins who sent these messages. Missing if there are none. */
  people: Type.Optional(PeopleSchema),
  /** `rating` means that the visitor is asked for a rating. Admins do not receive it. */
  ask: Type.Optional(Type.Literal('rating')),
  /** The conversation's newest correction. Missing if no message was corrected. */
  edit: Type.Optional(Type.Integer()),
  /** The messages with corrections above the query's `edits`, in the order of `edit`. Missing unless it was asked for. */
  edits: Type.Optional(Type.Array(MessageSchema)),
})
export type Page = Static<typeof PageSchema>

/** The body of POST /chat. `senderId` must be the caller's own. If `nonce` is missing, the server makes one. */
export const PostMessageSchema = Type.Object({
  message: Type.String(),
  clientId: ClientIdSchema,
  senderId: Type.Optional(Type.String({ maxLength: 64 })),
  nonce: Type.Optional(NonceSchema),
  epoch: Type.Optional(EpochSchema),
  attachments: Type.Optional(AttachmentIdsSchema),
  /** The conversation's new status, from an admin. A visitor's is ignored. */
  then: Type.Optional(ThenSchema),
  /** The ID of the frame's site. The server stores it with the first message, and ignores an unknown one. */
  site: Type.Optional(Type.String({ maxLength: 64 })),
})
export type PostMessage = Static<typeof PostMessageSchema>

export const PostedMessageSchema = Type.Object({ message: Type.String(), data: MessageSchema })
export type PostedMessage = Static<typeof PostedMessageSchema>

/** The body of PATCH /chat/admin/:clientId/messages/:seq. */
export const PatchMessageSchema = Type.Object({
  nonce: NonceSchema,
  message: Type.String(),
  epoch: Type.Optional(EpochSchema),
})
export type PatchMessage = Static<typeof PatchMessageSchema>

/** The path of a message. */
export const MessageParamSchema = Type.Object({
  clientId: ClientIdSchema,
  seq: Type.String({ pattern: '^[1-9][0-9]{0,14}$' }),
})

export const PageQuerySchema = Type.Object({
  after: Type.Optional(SeqSchema),
  before: Type.Optional(SeqSchema),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_LIMIT_MAX })),
  /** Asks for the messages with corrections above this number. */
  edits: Type.Optional(SeqSchema),
})
export type PageQuery = Static<typeof PageQuerySchema>

export const MarkReadSchema = Type.Object({ seq: SeqSchema })
export type MarkRead = Static<typeof MarkReadSchema>

/**
 * The result of a mark: the newest seq that this side has seen, and the number of messages that admins have not read.
 */
export const MarkedSchema = Type.Object({ seq: Type.Integer(), adminUnread: Type.Integer() })
export type Marked = Static<typeof MarkedSchema>

/** A message in the conversation list. A text longer than SUMMARY_TEXT_MAX ends with `…`, and `cut` is set. */
export const SummaryMessageSchema = Type.Object({
  ...MessageSchema.properties,
  cut: Type.Optional(Type.Literal(true)),
})
export type SummaryMessage = Static<typeof SummaryMessageSchema>

export const ConversationSummarySchema = Type.Object({
  clientId: Type.String(),
  adminUnread: Type.Integer(),
  lastMessage: SummaryMessageSchema,
  /** The time of the oldest visitor message that is not yet answered, or null. */
  waitingSince: Type.Union([Type.String(), Type.Null()]),
  ...InboxStateSchema.properties,
  visitor: VisitorClaimSchema,
  /** The site on which the conversation began. Null means our own pages. */
  site: Type.Union([ConversationSiteSchema, Type.Null()]),
  /** The end of a block in ISO 8601, or `forever`. Null if the visitor is not blocked. A blocked visitor does not wait. */
  blockedUntil: Type.Union([Type.String(), Type.Null()]),
  seen: Type.Optional(
    Type.Integer({ description: 'The newest seq that the caller has seen. Missing in facts and changes.' }),
  ),
})
export type ConversationSummary = Static<typeof ConversationSummarySchema>

/**
 * The answer to POST and DELETE /chat/admin/:clientId/block. `blockedUntil` is as in the summary. `data` is null if the
 * conversation's history was erased.
 */
export const BlockedSchema = Type.Object({
  message: Type.String(),
  blockedUntil: Type.Union([Type.String(), Type.Null()]),
  data: Type.Union([ConversationSummarySchema, Type.Null()]),
})
export type Blocked = Static<typeof BlockedSchema>

/** The list's filters. A conversation must fit all of them. */
export const ConversationsQuerySchema = Type.Object({
  /** One or more statuses, separated by commas. Without it, the list leaves out spam. */
  status: Type.Optional(StatusListSchema),
  /** A user ID, `me`, or `none`. */
  assignee: Type.Optional(Type.String({ pattern: `^(?:me|none|${ID_PATTERN.slice(1, -1)})$` })),
  /** A label, compared without case. */
  label: Type.Optional(Type.String({ minLength: 1, maxLength: 2 * LABEL_MAX + 64 })),
  /** `soon` lists unresolved conversations with an exam within EXAM_SOON_MS, soonest first. */
  exam: Type.Optional(Type.Literal('soon')),
  unread: Type.Optional(Type.Literal('1')),
  /** A site's ID, or `own` for our own pages. */
  site: Type.Optional(Type.String({ pattern: `^(?:own|${CLIENT_ID_PATTERN.slice(1, -1)})$` })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: CONVERSATIONS_LIMIT_MAX })),
  /** An opaque cursor from the Link header. */
  cursor: Type.Optional(Type.String({ maxLength: 256 })),
})
export type ConversationsQuery = Static<typeof ConversationsQuerySchema>

/** The answer to GET /chat if there are no conversations. Otherwise it is the summaries. */
export const NoConversationsSchema = Type.Object({ message: Type.String() })
export const ConversationListSchema = Type.Union([
  Type.Array(ConversationSummarySchema),
  NoConversationsSchema,
])
export type ConversationList = Static<typeof ConversationListSchema>

export const UnreadCountSchema = Type.Object({ totalAdminUnread: Type.Integer() })
export type UnreadCount = Static<typeof UnreadCountSchema>

/** The `auth` of a visitor's socket. */
export const VisitorHandshakeSchema = Type.Object({
  clientId: ClientIdSchema,
  key: Type.Optional(Type.String({ pattern: VISITOR_KEY_PATTERN })),
  /** The ID of the frame's site. The server ignores an unknown one. */
  site: Type.Optional(Type.String({ maxLength: 64 })),
})

// These are the hub's commands. A visitor's commands have no clientId, because the connection has it.

export const VisitorSendSchema = Type.Object({
  nonce: NonceSchema,
  message: Type.String(),
  epoch: Type.Optional(EpochSchema),
  attachments: Type.Optional(AttachmentIdsSchema),
})
export type VisitorSend = Static<typeof VisitorSendSchema>

export const AdminSendSchema = Type.Object({
  clientId: ClientIdSchema,
  nonce: NonceSchema,
  message: Type.String(),
  epoch: Type.Optional(EpochSchema),
  attachments: Type.Optional(AttachmentIdsSchema),
  then: Type.Optional(ThenSchema),
})
export type AdminSend = Static<typeof AdminSendSchema>

export const VisitorSyncSchema = PageQuerySchema
export type VisitorSync = PageQuery
export const AdminSyncSchema = Type.Object({ clientId: ClientIdSchema, ...PageQuerySchema.properties })
export type AdminSync = Static<typeof AdminSyncSchema>

export const VisitorReadSchema = MarkReadSchema
export type VisitorRead = MarkRead
export const AdminReadSchema = Type.Object({ clientId: ClientIdSchema, seq: SeqSchema })
export type AdminRead = Static<typeof AdminReadSchema>

export const VisitorTypingSchema = Type.Object({ typing: Type.Boolean() })
export type VisitorTyping = Static<typeof VisitorTypingSchema>
export const AdminTypingSchema = Type.Object({ clientId: ClientIdSchema, typing: Type.Boolean() })
export type AdminTyping = Static<typeof AdminTypingSchema>

export const AdminViewingSchema = Type.Object({ clientId: Type.Union([ClientIdSchema, Type.Null()]) })
export type AdminViewing = Static<typeof AdminViewingSchema>

/** The body of POST /chat/:clientId/rating. */
export const PostRatingSchema = Type.Object({
  score: Type.Integer({ minimum: 1, maximum: 5 }),
  words: Type.Optional(Type.String({ maxLength: 2 * RATING_WORDS_MAX + 64 })),
})
export type PostRating = Static<typeof PostRatingSchema>
