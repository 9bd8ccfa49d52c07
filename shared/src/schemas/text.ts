import Type, { type Static } from 'typebox'
import type { TextFields } from '../fields/page-texts.ts'
import { LOCALE_MAX } from '../limits.ts'
import type { TextKey } from '../text-keys.ts'

/** The schemas accept any text, because the server answers an unknown key with 404 and an unknown version too. */
export const TextKeyParamSchema = Type.Object({ key: Type.String({ maxLength: 2_048 }) })
export const TextVersionParamSchema = Type.Object({
  ...TextKeyParamSchema.properties,
  n: Type.String({ maxLength: 2_048 }),
})
export const PostVersionParamSchema = Type.Object({
  id: Type.String({ maxLength: 2_048 }),
  n: TextVersionParamSchema.properties.n,
})

/** The language, as a BCP 47 tag. By default, English. */
const Lang = Type.Optional(Type.String({ maxLength: LOCALE_MAX }))
export const LangQuerySchema = Type.Object({ lang: Lang })

/** 0 while the text is as shipped. Each change adds 1. */
const Version = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
export const ResetQuerySchema = Type.Object({ lang: Lang, version: Version })

/** `shipped`: the text follows releases. `own`: the text was edited, and no release changes it. */
export const TextStateSchema = Type.Union([Type.Literal('shipped'), Type.Literal('own')])
export type TextState = Static<typeof TextStateSchema>

/** An admin, or an API key with its author ID. Null where this is not known. */
export const WriterSchema = Type.Union([Type.Object({ id: Type.String(), name: Type.String() }), Type.Null()])
export type Writer = Static<typeof WriterSchema>

const TimeOrNull = Type.Union([Type.String(), Type.Null()])

const standing = {
  key: Type.Unsafe<TextKey>(Type.String()),
  /** The language of the fields: English where the text is not translated. */
  lang: Type.String(),
  state: TextStateSchema,
  /** Whether the shipped text differs from the one that was edited. */
  shippedChanged: Type.Boolean(),
  version: Version,
  /** The time of the last edit in ISO 8601. Null if the text was never edited. */
  updatedAt: TimeOrNull,
}

export const TextSummarySchema = Type.Object({ ...standing, by: WriterSchema })
export type TextSummary = Static<typeof TextSummarySchema>

/** Every text in English, and other languages where they are written, in the order of keys and languages. */
export const TextListSchema = Type.Object({ texts: Type.Array(TextSummarySchema), count: Type.Integer() })
export type TextList = Static<typeof TextListSchema>

/** A text's fields, which depend on its key. HTML is sanitized. `{brand}` and `{supportEmail}` are as written. */
const FieldsSchema = Type.Unsafe<TextFields>(Type.Object({}, { additionalProperties: true }))

export const TextSchema = Type.Object({
  key: standing.key,
  lang: standing.lang,
  fields: FieldsSchema,
  state: standing.state,
  shippedChanged: standing.shippedChanged,
  version: standing.version,
  updatedAt: standing.updatedAt,
})
export type Text = Static<typeof TextSchema>

/** The body of PUT, with all fields. The use case judges them, with a message beside each field. */
export const TextChangeSchema = Type.Object({
  fields: Type.Unsafe<unknown>(Type.Object({}, { additionalProperties: true })),
  version: Version,
})
export type TextChange = Static<typeof TextChangeSchema>

/** The answer to PUT, DELETE, and a restore. */
export const SavedTextSchema = Type.Object({ message: Type.String(), data: TextSchema })
export type SavedText = Static<typeof SavedTextSchema>

export const VersionSummarySchema = Type.Object({ n: Version, at: Type.String(), by: WriterSchema })
export type VersionSummary = Static<typeof VersionSummarySchema>

/** The kept versions, the newest first, which is the present one. */
export const VersionListSchema = Type.Object({ versions: Type.Array(VersionSummarySchema) })
export type VersionList = Static<typeof VersionListSchema>

/** One version of a text. Version 0 is what ships now; it has neither a time nor a writer. */
export const TextVersionSchema = Type.Object({
  n: Version,
  at: TimeOrNull,
  by: WriterSchema,
  fields: FieldsSchema,
})
export type TextVersion = Static<typeof TextVersionSchema>

/** The body of a restore: the version that the restored one replaces. */
export const RestoreSchema = Type.Object({ version: Version })
export type Restore = Static<typeof RestoreSchema>

export const PostFieldsSchema = Type.Object({
  title: Type.String(),
  summary: Type.String(),
  slug: Type.String(),
  img: Type.String(),
  imgAlt: Type.Union([Type.String(), Type.Null()]),
  content: Type.String(),
  lang: Type.String(),
})
export type PostFields = Static<typeof PostFieldsSchema>

export const PostVersionSchema = Type.Object({
  ...VersionSummarySchema.properties,
  fields: PostFieldsSchema,
})
export type PostVersion = Static<typeof PostVersionSchema>
