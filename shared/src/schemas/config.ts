import Type, { type Static } from 'typebox'
import { TransportSchema } from './chat.ts'

/** The configuration of the browser, also part of served pages. Intervals are in milliseconds. */
export const PublicConfigSchema = Type.Object({
  brand: Type.String(),
  supportEmail: Type.String(),
  contacts: Type.Object({ whatsapp: Type.String(), discord: Type.String(), telegram: Type.String() }),
  chat: Type.Object({
    transport: TransportSchema,
    pollMs: Type.Integer(),
    unreadPollMs: Type.Integer(),
  }),
  publicReviews: Type.Union([Type.Literal('off'), Type.Literal('moderated')]),
})
export type PublicConfig = Static<typeof PublicConfigSchema>
