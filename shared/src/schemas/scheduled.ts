import Type, { type Static } from 'typebox'
import { MESSAGE_MAX } from '../limits.ts'
import { AttachmentIdsSchema, AttachmentSchema } from './attachment.ts'
import { ClientIdSchema, NonceSchema } from './ids.ts'

/** The use case judges the text; this only bounds what it has to judge. */
const TextSchema = Type.String({ maxLength: 4 * MESSAGE_MAX })
const SendAtSchema = Type.String({ maxLength: 64 })

/** A message that waits until it is sent. Only admins see it. */
export const ScheduledSchema = Type.Object({
  /** The nonce that the message will have. */
  _id: Type.String(),
  clientId: Type.String(),
  /** The admin who will send the message, because they changed its words last. A user ID, or `key:` and an API key's ID. */
  by: Type.String(),
  message: Type.String(),
  /** Missing without files. */
  attachments: Type.Optional(Type.Array(AttachmentSchema)),
  /** The time in ISO 8601. */
  sendAt: Type.String(),
  /** Whether the message is sent even if the visitor writes first. */
  anyway: Type.Boolean(),
  /** The version is 1 at first. Each change increments it. */
  version: Type.Integer(),
})
export type Scheduled = Static<typeof ScheduledSchema>

/** The answer to GET /chat/admin/:clientId/scheduled: what waits, the earliest first. */
export const ScheduledListSchema = Type.Object({ scheduled: Type.Array(ScheduledSchema) })
export type ScheduledList = Static<typeof ScheduledListSchema>

/** The body of POST /chat/admin/:clientId/scheduled. The message gets this nonce. */
export const PostScheduledSchema = Type.Object({
  nonce: NonceSchema,
  message: TextSchema,
  attachments: Type.Optional(AttachmentIdsSchema),
  sendAt: SendAtSchema,
  anyway: Type.Optional(Type.Boolean()),
})
export type PostScheduled = Static<typeof PostScheduledSchema>

/** The body of PATCH /chat/admin/:clientId/scheduled/:id. The change is refused if another version is stored. */
export const PatchScheduledSchema = Type.Object({
  message: Type.Optional(TextSchema),
  sendAt: Type.Optional(SendAtSchema),
  anyway: Type.Optional(Type.Boolean()),
  version: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
})
export type PatchScheduled = Static<typeof PatchScheduledSchema>

export const PostedScheduledSchema = Type.Object({ message: Type.String(), data: ScheduledSchema })
export type PostedScheduled = Static<typeof PostedScheduledSchema>

export const ScheduledParamSchema = Type.Object({ clientId: ClientIdSchema, id: NonceSchema })
