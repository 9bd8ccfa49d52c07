import Type, { type Static } from 'typebox'

/** A text that admins keep under a shortcut, with variables such as `{{visitor.name}}`. */
export const CannedReplySchema = Type.Object({
  _id: Type.String(),
  shortcut: Type.String(),
  text: Type.String(),
  /** 1 when created, one more with each change. */
  version: Type.Integer(),
})
export type CannedReply = Static<typeof CannedReplySchema>

/** All of them, in order of shortcut. */
export const CannedReplyListSchema = Type.Object({
  replies: Type.Array(CannedReplySchema),
  count: Type.Integer(),
})
export type CannedReplyList = Static<typeof CannedReplyListSchema>

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const CannedReplyIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })

/** Body of POST. The use case judges the texts, with a message beside each field. */
export const NewCannedReplySchema = Type.Object({ shortcut: Type.String(), text: Type.String() })
export type NewCannedReply = Static<typeof NewCannedReplySchema>

/** Body of PATCH: `version` is the edited one, and the change is refused when another is stored. */
export const CannedReplyChangeSchema = Type.Object({
  shortcut: Type.Optional(Type.String()),
  text: Type.Optional(Type.String()),
  version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})
export type CannedReplyChange = Static<typeof CannedReplyChangeSchema>

/** Answer of POST and PATCH. */
export const SavedCannedReplySchema = Type.Object({ message: Type.String(), data: CannedReplySchema })
export type SavedCannedReply = Static<typeof SavedCannedReplySchema>
