import Type, { type Static } from 'typebox'
import { PageViewSchema, VisitorClaimSchema, VisitorRatingSchema } from './inbox.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const ExportedMessageSchema = Type.Object({
  /** The time in ISO 8601. */
  at: Type.String(),
  /** The time of the newest correction in ISO 8601. `text` has the newest words. Missing without a correction. */
  editedAt: Type.Optional(Type.String()),
  /** `you` for the visitor; otherwise the name that visitors see. */
  from: Type.String(),
  text: Type.String(),
  /** The names of the message's files. Missing without files. */
  attachments: Type.Optional(Type.Array(Type.String())),
})
export type ExportedMessage = Static<typeof ExportedMessageSchema>

/** The file that a visitor downloads: everything stored about them except what admins say to each other. */
export const ConversationExportSchema = Type.Object({
  exportedAt: Type.String(),
  site: Type.String(),
  /** The website on which the conversation began; missing on our own pages. */
  website: Type.Optional(Type.String()),
  profile: Type.Object({
    ...VisitorClaimSchema.properties,
    /** Missing if no site signed the visitor. */
    signed: Type.Optional(VisitorClaimSchema.properties.signed),
    device: TextOrNull,
    page: TextOrNull,
    referrer: TextOrNull,
    card: TextOrNull,
    lastSeenAt: TextOrNull,
    /** The pages, oldest first. */
    pages: Type.Array(PageViewSchema),
  }),
  /** The ratings, newest first. */
  ratings: Type.Array(VisitorRatingSchema),
  /** The messages in the order of `seq`. */
  messages: Type.Array(ExportedMessageSchema),
})
export type ConversationExport = Static<typeof ConversationExportSchema>
