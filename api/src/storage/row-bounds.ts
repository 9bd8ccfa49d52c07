import {
  ATTACHMENTS_MAX,
  BLOG_CONTENT_BYTES_MAX,
  BLOG_SUMMARY_MAX,
  BLOG_TITLE_MAX,
  CLIENT_ID_PATTERN,
  CONTACT_MESSAGE_MAX,
  CONTACT_TITLE_MAX,
  DISPLAY_NAME_MAX,
  EMAIL_MAX,
  FILE_NAME_MAX,
  ID_PATTERN,
  IMAGE_ALT_MAX,
  LABEL_MAX,
  LABELS_MAX,
  MESSAGE_MAX,
  NOTE_MAX,
  PAGE_PATH_MAX,
  PROFILE_NAME_MAX,
  PUSH_ENDPOINT_MAX,
  PUSH_LABEL_MAX,
  REFERRER_MAX,
  REPLY_TEXT_MAX,
  REVIEW_NAME_MAX,
  REVIEW_TEXT_MAX,
  REVIEW_TIME_MAX,
  SHORTCUT_PATTERN,
  USER_NAME_MAX,
  VISITOR_KEYS_MAX,
} from '@proctorpass/shared/limits'
import { FileTypeSchema } from '@proctorpass/shared/schemas/file'
import { type ActivityKind, StatusSchema } from '@proctorpass/shared/schemas/inbox'
import Type, { type TSchema } from 'typebox'
import type { CopiedRows } from './store-copy.ts'
import { ATTACHMENT_NAME, UPLOAD_NAME } from './upload-files.ts'
import { type CopiedVisitor, MAILS_REMEMBERED } from './visitors.ts'

/** The latest time that a Date can hold, in milliseconds. */
const TIME_MAX = 8.64e15

const Id = Type.String({ pattern: ID_PATTERN })
const ClientId = Type.String({ pattern: CLIENT_ID_PATTERN })
const Token = Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' })
/** SHA-256 in base64url. */
const Hash = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' })
const Time = Type.Integer({ minimum: 0, maximum: TIME_MAX })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Positive = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const TimeOrNull = Type.Union([Time, Type.Null()])
/** `max` counts code points, which take up to two units of a string. */
const text = (max: number, minLength = 0) => Type.String({ minLength, maxLength: 2 * max })

/** `m` is at most six digits of KiB, so that verifying a restored hash cannot exhaust memory. */
const PASSWORD_HASH =
  '^\\$argon2id\\$v=19\\$m=[0-9]{1,6},t=[0-9]{1,2},p=[0-9]{1,2}\\$[A-Za-z0-9+/]{11,86}\\$[A-Za-z0-9+/]{22,86}$'

const OrNull = (schema: TSchema) => Type.Union([schema, Type.Null()])
/** Characters of the JSON of a document. */
const DOCUMENT_MAX = 256 * 1_024

const VISITOR: { [F in keyof CopiedVisitor]-?: TSchema } = {
  name: OrNull(text(PROFILE_NAME_MAX, 1)),
  email: OrNull(text(EMAIL_MAX, 1)),
  examAt: TimeOrNull,
  locale: OrNull(Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$' })),
  timeZone: OrNull(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_+/-]{0,63}$' })),
  device: OrNull(text(64, 1)),
  page: OrNull(Type.String({ pattern: '^/', maxLength: 2 * PAGE_PATH_MAX })),
  referrer: OrNull(Type.String({ pattern: '^https?://', maxLength: REFERRER_MAX })),
  lastSeenAt: TimeOrNull,
  unsubscribed: Type.Boolean(),
  mailedAt: Type.Array(Time, { maxItems: MAILS_REMEMBERED }),
  mailedSeq: Count,
}

const Iso = Type.String({ pattern: '^[0-9T:.+Z-]{20,32}$' })
const Labels = Type.Array(text(LABEL_MAX, 1), { maxItems: LABELS_MAX })
const strict = (fields: Record<string, TSchema>) => Type.Object(fields, { additionalProperties: false })
/** The data of an entry by its kind. */
export const ACTIVITY_DATA: { [K in ActivityKind]: TSchema } = {
  note: strict({ text: text(NOTE_MAX, 1), mentions: Type.Array(Token, { maxItems: NOTE_MAX }) }),
  status: strict({ from: StatusSchema, to: StatusSchema, until: Type.Optional(Iso) }),
  assignee: strict({ from: OrNull(Token), to: OrNull(Token) }),
  labels: strict({ added: Labels, removed: Labels }),
  block: strict({ until: OrNull(text(32)) }),
  profile: strict({ fields: Type.Array(text(32, 1), { maxItems: 16 }) }),
  rating: strict({ score: Type.Integer({ minimum: 1, maximum: 5 }), words: OrNull(text(1_000)) }),
  mail: strict({ failed: Type.Boolean() }),
}

const Pixels = Type.Integer({ minimum: 1, maximum: 100_000 })
const FILE = { _id: Id, name: text(FILE_NAME_MAX, 1), type: FileTypeSchema, bytes: Count }
/** Of a file as its message shows it. */
const ATTACHMENT = {
  ...FILE,
  width: Type.Optional(Pixels),
  height: Type.Optional(Pixels),
}

/** The bounds of each field: every value that a store has ever accepted passes, harmful ones do not. */
export const ROWS: { [N in keyof CopiedRows]: { [F in keyof CopiedRows[N]]-?: TSchema } } = {
  uploads: { name: Type.String({ pattern: UPLOAD_NAME.source }), bytes: Type.Any() },
  users: {
    _id: Id,
    userName: text(USER_NAME_MAX, 1),
    passwordHash: Type.String({ pattern: PASSWORD_HASH }),
    roles: Type.Array(text(32, 1), { maxItems: 10 }),
    createdAt: Time,
    disabled: Type.Boolean(),
    credentialVersion: Count,
    keptSessionId: Type.Union([Id, Type.Null()]),
    displayName: Type.Union([text(DISPLAY_NAME_MAX, 1), Type.Null()]),
    onDuty: Type.Boolean(),
    email: Type.Union([text(EMAIL_MAX, 1), Type.Null()]),
    inviteHash: Type.Union([Token, Type.Null()]),
    inviteExpiresAt: TimeOrNull,
  },
  sessions: {
    _id: Id,
    userId: Id,
    currentHash: Token,
    previousHash: Type.Union([Token, Type.Null()]),
    createdAt: Time,
    expiresAt: Time,
    credentialVersion: Count,
  },
  blogs: {
    _id: Id,
    slug: Type.String({ pattern: '^[a-z0-9-]{1,200}$' }),
    title: text(BLOG_TITLE_MAX),
    summary: text(BLOG_SUMMARY_MAX),
    img: text(1_000),
    imgAlt: Type.Union([text(IMAGE_ALT_MAX), Type.Null()]),
    // Sanitizing writes some characters as entities of up to six characters.
    content: Type.String({ maxLength: 8 * BLOG_CONTENT_BYTES_MAX }),
    createdAt: Time,
    updatedAt: Time,
    version: Positive,
    demo: Type.Boolean(),
  },
  reviews: {
    _id: Id,
    name: text(REVIEW_NAME_MAX),
    time: text(REVIEW_TIME_MAX),
    star: Type.Number({ minimum: 0, maximum: 5 }),
    review: text(REVIEW_TEXT_MAX),
    createdAt: Time,
    demo: Type.Boolean(),
    pending: Type.Boolean(),
  },
  contacts: {
    _id: Id,
    email: text(EMAIL_MAX),
    title: text(CONTACT_TITLE_MAX),
    message: text(CONTACT_MESSAGE_MAX),
    createdAt: Time,
  },
  replies: {
    _id: Id,
    shortcut: Type.String({ pattern: SHORTCUT_PATTERN }),
    text: text(REPLY_TEXT_MAX),
    version: Positive,
  },
  documents: {
    name: Type.String({ pattern: '^[a-z-]{1,64}$' }),
    version: Positive,
    value: Type.String({ maxLength: DOCUMENT_MAX }),
  },
  answers: { _id: Id, at: Time, waitedMs: Count },
  links: {
    hash: Hash,
    kind: Type.Union([Type.Literal('resume'), Type.Literal('unsubscribe')]),
    clientId: ClientId,
    epoch: Token,
    expiresAt: Time,
  },
  subscriptions: {
    _id: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
    userId: Id,
    sessionId: Id,
    endpoint: Type.String({ pattern: '^https://', maxLength: PUSH_ENDPOINT_MAX }),
    p256dh: Type.String({ pattern: '^[A-Za-z0-9_-]{87}$' }),
    auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' }),
    label: text(PUSH_LABEL_MAX, 1),
    previews: Type.Boolean(),
    createdAt: Time,
    retryAt: Time,
  },
  milestones: { name: Type.String({ pattern: '^[a-z-]{1,64}$' }), at: Time },
  messages: {
    _id: Id,
    clientId: ClientId,
    epoch: Token,
    seq: Positive,
    senderId: Token,
    message: text(MESSAGE_MAX),
    createdAt: Time,
    nonce: Token,
    visitorCount: Count,
    waitingSince: TimeOrNull,
    attachments: OrNull(Type.Array(strict(ATTACHMENT), { minItems: 1, maxItems: ATTACHMENTS_MAX })),
  },
  activity: {
    clientId: ClientId,
    epoch: Token,
    n: Positive,
    _id: Id,
    kind: Type.Union(Object.keys(ACTIVITY_DATA).map((kind) => Type.Literal(kind))),
    by: OrNull(Token),
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
    visitor: Type.Union([Type.Object(VISITOR, { additionalProperties: false }), Type.Null()]),
  },
  attachments: {
    ...FILE,
    clientId: ClientId,
    senderId: Token,
    nonce: Token,
    sentHash: Token,
    keyHash: OrNull(Token),
    width: OrNull(Pixels),
    height: OrNull(Pixels),
    createdAt: Time,
    messageNonce: Token,
  },
  attachmentFiles: { name: Type.String({ pattern: ATTACHMENT_NAME.source }), bytes: Type.Any() },
}
