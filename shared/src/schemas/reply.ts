import Type, { type Static } from 'typebox'

/** A text that admins keep under a shortcut, with variables such as `{{visitor.name}}`. */
export const CannedReplySchema = Type.Object({
  _id: Type.String(),
  shortcut: Type.String(),
  text: Type.String(),
  /** The version is 1 when created, and grows by one with each change. */
  version: Type.Integer(),
})
export type CannedReply = Static<typeof CannedReplySchema>

/** All canned replies, in order of shortcut. */
export const CannedReplyListSchema = Type.Object({
  replies: Type.Array(CannedReplySchema),
  count: Type.Integer(),
})
export type CannedReplyList = Static<typeof CannedReplyListSchema>

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const CannedReplyIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })

/** The body of POST. The use case judges the texts, with a message beside each field. */
export const NewCannedReplySchema = Type.Object({ shortcut: Type.String(), text: Type.String() })
export type NewCannedReply = Static<typeof NewCannedReplySchema>

/** The body of PATCH. `version` is the edited version. The change is refused if another one is stored. */
export const CannedReplyChangeSchema = Type.Object({
  shortcut: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})
export type CannedReplyChange = Static<typeof CannedReplyChangeSchema>

/** The answer to POST and PATCH. */
export const SavedCannedReplySchema = Type.Object({ message: Type.String(), data: CannedReplySchema })
export type SavedCannedReply = Static<typeof SavedCannedReplySchema>
