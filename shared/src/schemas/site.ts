import Type, { type Static } from 'typebox'
import { CLIENT_ID_PATTERN, SITE_TEST_ORIGIN_MAX, VISITOR_KEY_PATTERN } from '../limits.ts'
import { LocalizedSchema } from './settings.ts'

/** A site's ID: 20 letters and digits, which stand in its tag and its addresses. */
const SiteIdSchema = Type.String({ pattern: CLIENT_ID_PATTERN })

/**
 * How the launcher looks on a site. `offset` is in pixels from the corner. With an empty label, only the icon shows.
 */
export const SiteLookSchema = Type.Object({
  color: Type.String(),
  side: Type.Union([Type.Literal('left'), Type.Literal('right')]),
  offset: Type.Object({ x: Type.Integer(), y: Type.Integer() }),
  label: LocalizedSchema,
})
export type SiteLook = Static<typeof SiteLookSchema>

/** A secret that signs visitors, without its text, which is shown once. */
export const SiteSecretSchema = Type.Object({
  _id: Type.String(),
  createdAt: Type.String(),
  /** When a token that the secret signed last identified a visitor, to the minute. */
  lastUsedAt: Type.Union([Type.String(), Type.Null()]),
})
export type SiteSecret = Static<typeof SiteSecretSchema>

/** A website on which the widget runs. */
export const SiteSchema = Type.Object({
  _id: SiteIdSchema,
  /** The name that admins see. */
  name: Type.String(),
  /** The name that the site's visitors see. If it is empty, they see the brand. */
  displayName: Type.String(),
  /** The greeting in the chat on the site. If it is empty, visitors see the one from the settings. */
  greeting: LocalizedSchema,
  /** The only origins whose pages may frame the widget. */
  origins: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  look: SiteLookSchema,
  secrets: Type.Array(SiteSecretSchema),
  /** The version is 1 when created, and grows by one with each change to the fields above except `secrets`. */
  version: Type.Integer(),
})
export type Site = Static<typeof SiteSchema>

/** All sites, in order of creation. */
export const SiteListSchema = Type.Object({ sites: Type.Array(SiteSchema), count: Type.Integer() })
export type SiteList = Static<typeof SiteListSchema>

/** The body of POST. The use case judges the values, with a message beside each field. */
export const NewSiteSchema = Type.Object({
  name: Type.String(),
  displayName: Type.Optional(Type.String()),
  greeting: Type.Optional(LocalizedSchema),
  origins: Type.Array(Type.String()),
  enabled: Type.Optional(Type.Boolean()),
  look: Type.Optional(SiteLookSchema),
})
export type NewSite = Static<typeof NewSiteSchema>

/** The body of PATCH. `version` is the edited version. The change is refused if another one is stored. */
export const SiteChangeSchema = Type.Object({
  name: Type.Optional(Type.String()),
  displayName: Type.Optional(Type.String()),
  greeting: Type.Optional(LocalizedSchema),
  origins: Type.Optional(Type.Array(Type.String())),
  enabled: Type.Optional(Type.Boolean()),
  look: Type.Optional(SiteLookSchema),
  version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})
export type SiteChange = Static<typeof SiteChangeSchema>

/** The answer to POST and PATCH. */
export const SavedSiteSchema = Type.Object({ message: Type.String(), data: SiteSchema })

/** The answer to POST for a site's secret. No other answer shows the text. */
export const NewSecretSchema = Type.Object({ secret: Type.String(), _id: Type.String() })
export type NewSecret = Static<typeof NewSecretSchema>

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const SiteParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })
export const SecretParamSchema = Type.Object({
  id: Type.String({ maxLength: 2_048 }),
  secretId: Type.String({ maxLength: 2_048 }),
})

/** A conversation's site. The name is from the conversation's beginning, and stays if the site is deleted. */
export const ConversationSiteSchema = Type.Object({ _id: SiteIdSchema, name: Type.String() })
export type ConversationSite = Static<typeof ConversationSiteSchema>

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const SiteOfFrameSchema = Type.Object({ site: Type.String({ maxLength: 2_048 }) })

const VisitorKeySchema = Type.String({ pattern: VISITOR_KEY_PATTERN })
const ClientIdSchema = Type.String({ pattern: CLIENT_ID_PATTERN })

/** The body of `POST /embed/:site/remember`. */
export const RememberSchema = Type.Object({ clientId: ClientIdSchema, key: VisitorKeySchema })
export type Remember = Static<typeof RememberSchema>

/** The body of `POST /embed/:site/identify`. `clientId` and `key` belong to the conversation that the browser has. */
export const IdentifySchema = Type.Object({
  token: Type.String(),
  clientId: Type.Optional(ClientIdSchema),
  key: Type.Optional(VisitorKeySchema),
  /** The key for "Test this site". The server reports a refusal to that test. */
  test: Type.Optional(VisitorKeySchema),
})
export type Identify = Static<typeof IdentifySchema>

/** The answer to `restore` and `identify`: a conversation, and a key that opens it. */
export const OpenedSchema = Type.Object({ clientId: Type.String(), key: Type.String() })
export type Opened = Static<typeof OpenedSchema>

/** The answer to a restore. `sub` is the signed visitor's. Null if the conversation is anonymous. */
export const RestoredSchema = Type.Object({
  ...OpenedSchema.properties,
  sub: Type.Union([Type.String(), Type.Null()]),
})
export type Restored = Static<typeof RestoredSchema>

/**
 * The answer to `POST /sites/:id/test`. The token stands in the opened address's fragment, as
 * `#proctorpass-test=TOKEN`.
 */
export const SiteTestTokenSchema = Type.Object({ token: Type.String() })
export type SiteTestToken = Static<typeof SiteTestTokenSchema>
export const SiteTestParamSchema = Type.Object({
  id: Type.String({ maxLength: 2_048 }),
  token: Type.String({ maxLength: 2_048 }),
})

/** What has happened on a test's page so far. */
export const SiteTestSchema = Type.Object({
  /** Null until the frame was shown. `storage` says whether the frame can store the conversation. */
  shown: Type.Union([Type.Object({ origin: Type.String(), storage: Type.Boolean() }), Type.Null()]),
  /** The origin of a page that asked for the frame and does not belong to the site. Null if there was none. */
  refusedOrigin: Type.Union([Type.String(), Type.Null()]),
  /** Whether one of the site's tokens was refused during the test. */
  identityRefused: Type.Boolean(),
})
export type SiteTest = Static<typeof SiteTestSchema>

/** The body of `POST /embed/:site/test`: what the frame reports, once for each token. */
export const SiteTestReportSchema = Type.Object({
  token: VisitorKeySchema,
  origin: Type.String({ pattern: '^https?://[^\\s<>"\']{1,300}$', maxLength: SITE_TEST_ORIGIN_MAX }),
  storage: Type.Boolean(),
})
export type SiteTestReport = Static<typeof SiteTestReportSchema>
