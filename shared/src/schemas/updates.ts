import Type, { type Static } from 'typebox'
import { UPDATES_MAX } from '../limits.ts'
import { ClientIdSchema } from './ids.ts'

const TextOrNull = Type.Union([Type.String(), Type.Null()])
const CountSchema = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** What an admin has seen in a conversation: its newest message and its newest entry. */
export const SeenMarkSchema = Type.Object({
  clientId: ClientIdSchema,
  epoch: Type.String({ minLength: 1, maxLength: 64 }),
  seq: CountSchema,
  n: CountSchema,
})
export type SeenMark = Static<typeof SeenMarkSchema>

/** A mark that has moved. `back` says that the admin marked the conversation as unread, so the mark is lower. */
export type MovedMark = SeenMark & { back?: true }

/** The answer to POST /chat/admin/:clientId/unseen: the newest seq that the caller has seen. */
export const UnseenSchema = Type.Object({ seen: Type.Integer() })
export type Unseen = Static<typeof UnseenSchema>

/** The body of POST /chat/updates/seen. */
export const PostSeenSchema = Type.Object({
  marks: Type.Array(SeenMarkSchema, { minItems: 1, maxItems: UPDATES_MAX }),
})
export type PostSeen = Static<typeof PostSeenSchema>

/**
 * An update, which concerns one admin: a note that mentions them, another admin's assignment to them, or the newest
 * message of a visitor who waits in their conversation.
 */
export const UpdateSchema = Type.Object({
  kind: Type.Union([Type.Literal('mention'), Type.Literal('assignment'), Type.Literal('reply')]),
  clientId: Type.String(),
  epoch: Type.String(),
  /** The message's number; 0 for an entry. */
  seq: Type.Integer(),
  /** The entry's number; 0 for a message. */
  n: Type.Integer(),
  /** A user ID. Null for the visitor or the system. */
  by: TextOrNull,
  /** The time in ISO 8601. */
  at: Type.String(),
  /** The visitor's name as they claim it. */
  name: TextOrNull,
  assigned: Type.Optional(
    Type.Literal(true, {
      description: 'The note that mentions the admin also assigned the conversation to them.',
    }),
  ),
  /** The beginning of the note or message; empty for an assignment. */
  text: Type.String(),
  isSeen: Type.Boolean(),
})
export type Update = Static<typeof UpdateSchema>

/** Updates, newest first. */
export const UpdateListSchema = Type.Object({ updates: Type.Array(UpdateSchema) })
export type UpdateList = Static<typeof UpdateListSchema>
