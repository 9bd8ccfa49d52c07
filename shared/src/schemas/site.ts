import Type, { type Static } from 'typebox'
import { CLIENT_ID_PATTERN, SITE_TEST_ORIGIN_MAX, VISITOR_KEY_PATTERN } from '../limits.ts'

/** The id of a site: 20 letters and digits, in its tag and its addresses. */
const SiteIdSchema = Type.String({ pattern: CLIENT_ID_PATTERN })

/** How the launcher looks on a site. `offset`: pixels from the corner. An empty label: only the icon. */
export const SiteLookSchema = Type.Object({
  color: Type.String(),
  side: Type.Union([Type.Literal('left'), Type.Literal('right')]),
  offset: Type.Object({ x: Type.Integer(), y: Type.Integer() }),
  label: Type.Object({ en: Type.String(), zh: Type.String() }),
})
export type SiteLook = Static<typeof SiteLookSchema>

/** A secret that signs visitors, without its text, which is shown once. */
export const SiteSecretSchema = Type.Object({
  _id: Type.String(),
  createdAt: Type.String(),
  /** When a token that it signed last identified a visitor, to the minute. */
  lastUsedAt: Type.Union([Type.String(), Type.Null()]),
})
export type SiteSecret = Static<typeof SiteSecretSchema>

/** A website on which the widget runs. */
export const SiteSchema = Type.Object({
  _id: SiteIdSchema,
  name: Type.String(),
  /** The only origins whose pages may frame the widget. */
  origins: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  look: SiteLookSchema,
  secrets: Type.Array(SiteSecretSchema),
  /** 1 when created, one more with each change of the fields above but `secrets`. */
  version: Type.Integer(),
})
export type Site = Static<typeof SiteSchema>

/** All of them, in order of creation. */
export const SiteListSchema = Type.Object({ sites: Type.Array(SiteSchema), count: Type.Integer() })
export type SiteList = Static<typeof SiteListSchema>

/** Body of POST. The use case judges the values, with a message beside each field. */
export const NewSiteSchema = Type.Object({
  name: Type.String(),
  origins: Type.Array(Type.String()),
  enabled: Type.Optional(Type.Boolean()),
  look: Type.Optional(SiteLookSchema),
})
export type NewSite = Static<typeof NewSiteSchema>

/** Body of PATCH: `version` is the edited one, and the change is refused when another is stored. */
export const SiteChangeSchema = Type.Object({
  name: Type.Optional(Type.String()),
  origins: Type.Optional(Type.Array(Type.String())),
  enabled: Type.Optional(Type.Boolean()),
  look: Type.Optional(SiteLookSchema),
  version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
})
export type SiteChange = Static<typeof SiteChangeSchema>

/** Answer of POST and PATCH. */
export const SavedSiteSchema = Type.Object({ message: Type.String(), data: SiteSchema })

/** Answer of POST to the secrets of a site: the only time that the text is shown. */
export const NewSecretSchema = Type.Object({ secret: Type.String(), _id: Type.String() })
export type NewSecret = Static<typeof NewSecretSchema>

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const SiteParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })
export const SecretParamSchema = Type.Object({
  id: Type.String({ maxLength: 2_048 }),
  secretId: Type.String({ maxLength: 2_048 }),
})

/** The site of a conversation. The name is that of its beginning, and stays when the site is deleted. */
export const ConversationSiteSchema = Type.Object({ _id: SiteIdSchema, name: Type.String() })
export type ConversationSite = Static<typeof ConversationSiteSchema>

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const SiteOfFrameSchema = Type.Object({ site: Type.String({ maxLength: 2_048 }) })

const VisitorKeySchema = Type.String({ pattern: VISITOR_KEY_PATTERN })
const ClientIdSchema = Type.String({ pattern: CLIENT_ID_PATTERN })

/** Body of `POST /embed/:site/remember`. */
export const RememberSchema = Type.Object({ clientId: ClientIdSchema, key: VisitorKeySchema })
export type Remember = Static<typeof RememberSchema>

/** Body of `POST /embed/:site/identify`. `clientId` and `key`: of the conversation that the browser has. */
export const IdentifySchema = Type.Object({
  token: Type.String(),
  clientId: Type.Optional(ClientIdSchema),
  key: Type.Optional(VisitorKeySchema),
  /** The key of "Test this site". The server reports a refusal to that test. */
  test: Type.Optional(VisitorKeySchema),
})
export type Identify = Static<typeof IdentifySchema>

/** Answer of `restore` and `identify`: a conversation, and a key that opens it. */
export const OpenedSchema = Type.Object({ clientId: Type.String(), key: Type.String() })
export type Opened = Static<typeof OpenedSchema>

/** `sub` is that of the signed visitor; null: the conversation is anonymous. */
export const RestoredSchema = Type.Object({
  ...OpenedSchema.properties,
  sub: Type.Union([Type.String(), Type.Null()]),
})
export type Restored = Static<typeof RestoredSchema>

/** Answer of `POST /sites/:id/test`: stands in the fragment of the opened address, as `#proctorpass-test=TOKEN`. */
export const SiteTestTokenSchema = Type.Object({ token: Type.String() })
export type SiteTestToken = Static<typeof SiteTestTokenSchema>
export const SiteTestParamSchema = Type.Object({
  id: Type.String({ maxLength: 2_048 }),
  token: Type.String({ maxLength: 2_048 }),
})

/** What happened on the page of a test by now. */
export const SiteTestSchema = Type.Object({
  /** Null until the frame was shown. `storage`: whether it can keep the conversation. */
  shown: Type.Union([Type.Object({ origin: Type.String(), storage: Type.Boolean() }), Type.Null()]),
  /** The origin of a page that asked for the frame, and is none of the site; null without one. */
  refusedOrigin: Type.Union([Type.String(), Type.Null()]),
  /** A token of the site was refused meanwhile. */
  identityRefused: Type.Boolean(),
})
export type SiteTest = Static<typeof SiteTestSchema>

/** Body of `POST /embed/:site/test`: what the frame says, once for each token. */
export const SiteTestReportSchema = Type.Object({
  token: VisitorKeySchema,
  origin: Type.String({ pattern: '^https?://[^\\s<>"\']{1,300}$', maxLength: SITE_TEST_ORIGIN_MAX }),
  storage: Type.Boolean(),
})
export type SiteTestReport = Static<typeof SiteTestReportSchema>
