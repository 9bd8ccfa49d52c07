import Type, { type Static } from 'typebox'
import { ATTACHMENTS_MAX, ID_PATTERN } from '../limits.ts'

export const AttachmentTypeSchema = Type.Union([
  Type.Literal('image/png'),
  Type.Literal('image/jpeg'),
  Type.Literal('image/webp'),
  Type.Literal('application/pdf'),
  /** Only the server creates this type, for the rest of a long mail. */
  Type.Literal('text/plain'),
])
export type AttachmentType = Static<typeof AttachmentTypeSchema>

/** A message's file. */
export const AttachmentSchema = Type.Object({
  _id: Type.String(),
  /** The sender's name for the file. It is shown as text and never used as a path. */
  name: Type.String(),
  type: AttachmentTypeSchema,
  /** The size of the stored file. */
  bytes: Type.Integer(),
  /** Only images have a size. It is in pixels. */
  width: Type.Optional(Type.Integer()),
  height: Type.Optional(Type.Integer()),
})
export type Attachment = Static<typeof AttachmentSchema>

/** The answer to an upload. */
export const AddedAttachmentSchema = Type.Object({ message: Type.String(), data: AttachmentSchema })
export type AddedAttachment = Static<typeof AddedAttachmentSchema>

/** The IDs of uploaded files, in the order in which the message shows them. */
export const AttachmentIdsSchema = Type.Array(Type.String({ pattern: ID_PATTERN }), {
  maxItems: ATTACHMENTS_MAX,
})
