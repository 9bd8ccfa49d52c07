import Type, { type Static } from 'typebox'

/** One of the widget's languages. */
export const LanguageSchema = Type.Object({
  /** The canonical BCP 47 tag. */
  tag: Type.String(),
  /** The language's name in the language itself. */
  name: Type.String(),
  dir: Type.Union([Type.Literal('ltr'), Type.Literal('rtl')]),
  /** Whether the release ships this language. */
  shipped: Type.Boolean(),
  /** Where the operator's own words come from. A file in this node's DATA_DIR precedes an upload. */
  own: Type.Union([Type.Literal('upload'), Type.Literal('file'), Type.Null()]),
  /** How many texts are shown in English. */
  missing: Type.Integer(),
})
export type Language = Static<typeof LanguageSchema>

/** Why a language file or one of its keys is ignored. The sentence begins with the file's name. */
export const LanguageProblemSchema = Type.Object({ file: Type.String(), message: Type.String() })
export type LanguageProblem = Static<typeof LanguageProblemSchema>

/** The answer to GET /languages. */
export const LanguageListSchema = Type.Object({
  languages: Type.Array(LanguageSchema),
  problems: Type.Array(LanguageProblemSchema),
})
export type LanguageList = Static<typeof LanguageListSchema>

/** A language file: texts, or their plural forms, by key. */
export const LanguageFileSchema = Type.Record(Type.String(), Type.Unknown())
export type LanguageFile = Static<typeof LanguageFileSchema>

/** The answer to PUT. */
export const SavedLanguageSchema = Type.Object({ message: Type.String(), data: LanguageSchema })

/** The schema accepts any text, because the server answers text that is not a known tag with 404. */
export const LanguageParamSchema = Type.Object({ tag: Type.String({ maxLength: 2_048 }) })

/** The languages that visitors can choose, in the order of their tags, and the revision of their words. */
export const ShownLanguagesSchema = Type.Object({
  revision: Type.String(),
  tags: Type.Array(Type.String()),
  /** Present if the operator changed English, whose words in the scripts are then out of date. */
  ownEnglish: Type.Optional(Type.Literal(true)),
})
export type ShownLanguages = Static<typeof ShownLanguagesSchema>
