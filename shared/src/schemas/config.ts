import Type, { type Static } from 'typebox'
import { TransportSchema } from './chat.ts'
import { ShownLanguagesSchema } from './language.ts'
import { CardSchema, PreChatSchema } from './settings.ts'

/** The browser's configuration, which is also part of served pages. Intervals are in milliseconds. */
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

/** An admin as visitors see them: the display name, and the URL of their picture or null. */
export const ShownAdminSchema = Type.Object({
  name: Type.String(),
  face: Type.Union([Type.String(), Type.Null()]),
})
export type ShownAdmin = Static<typeof ShownAdminSchema>

/** A text in the languages that visitors can choose. Missing or empty if there is none. */
export interface ShownText {
  en: string
  [tag: string]: string
}
const ShownTextSchema = Type.Unsafe<ShownText>(
  Type.Object({ en: Type.String() }, { additionalProperties: Type.String() }),
)
const RepliesSchema = Type.Array(Type.String())
export interface ShownReplies {
  en: string[]
  [tag: string]: string[]
}

/** What the widget reads when it opens. It follows from the settings and the time. */
export const ChatStateSchema = Type.Object({
  open: Type.Boolean(),
  /** When the business next opens, in ISO 8601. Null while it is open, and if no time is known. */
  opensAt: Type.Union([Type.String(), Type.Null()]),
  /** The away message. */
  away: ShownTextSchema,
  greeting: ShownTextSchema,
  quickReplies: Type.Unsafe<ShownReplies>(
    Type.Object({ en: RepliesSchema }, { additionalProperties: RepliesSchema }),
  ),
  preChat: PreChatSchema,
  files: Type.Boolean(),
  filesNotice: ShownTextSchema,
  rating: Type.Boolean(),
  suggestions: Type.Boolean(),
  /** The cards. A card without its own greeting uses the one above. */
  cards: Type.Array(
    Type.Object({ ...CardSchema.properties, text: ShownTextSchema, greeting: ShownTextSchema }),
  ),
  /** Whether any admin has an open socket. False with polling. */
  adminOnline: Type.Boolean(),
  /**
   * The admins on duty who have a display name, those who are online first, at most TEAM_SHOWN_MAX. Empty unless the
   * settings show the team.
   */
  team: Type.Array(ShownAdminSchema),
  /** Whether replies are mailed to visitors who left. */
  mail: Type.Boolean(),
  /** The usual time to an answer. Null if too few were measured. */
  waitMinutes: Type.Union([Type.Integer(), Type.Null()]),
})
export type ChatState = Static<typeof ChatStateSchema>
export type ShownCard = ChatState['cards'][number]

/** The answer to GET /config. Served pages contain only the PublicConfig, because they are cached. */
export const LiveConfigSchema = Type.Object({
  ...PublicConfigSchema.properties,
  languages: ShownLanguagesSchema,
  chat: Type.Object({ ...PublicConfigSchema.properties.chat.properties, ...ChatStateSchema.properties }),
})
export type LiveConfig = Static<typeof LiveConfigSchema>

/** The answer to GET /version. Only admins may read it, because strangers need not know which release they attack. */
export const VersionSchema = Type.Object({ version: Type.String() })
export type Version = Static<typeof VersionSchema>
