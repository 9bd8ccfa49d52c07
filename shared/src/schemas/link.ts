import Type, { type Static } from 'typebox'
import { VISITOR_KEY_PATTERN } from '../limits.ts'

/** The token, which is the part of a mailed link after `#`. */
const TokenSchema = Type.String({ maxLength: 2_048 })

/**
 * A resume link's token. `key` is the one that this browser has for a conversation. It stays if it opens the link's
 * conversation.
 */
export const ResumeSchema = Type.Object({
  token: TokenSchema,
  key: Type.Optional(Type.String({ pattern: VISITOR_KEY_PATTERN })),
})
export type Resume = Static<typeof ResumeSchema>

/** The identity with which this browser continues the conversation. */
export const ResumedSchema = Type.Object({ clientId: Type.String(), key: Type.String() })
export type Resumed = Static<typeof ResumedSchema>

/** The token of an unsubscribe link. */
export const SubscribeSchema = Type.Object({ token: TokenSchema })

export const UnsubscribeParamSchema = Type.Object({ token: TokenSchema })
