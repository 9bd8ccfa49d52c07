import Type, { type Static } from 'typebox'
import { CARD_SECONDS_MAX, CARDS_MAX, LANGUAGE_TAG_PATTERN, LANGUAGES_MAX } from '../limits.ts'
import { CardIdSchema } from './ids.ts'

/** A text in each of the widget's languages. Empty or missing if there is none. */
export interface Localized {
  en: string
  zh: string
  [tag: string]: string
}
export const LocalizedSchema = Type.Unsafe<Localized>(
  Type.Object({ en: Type.String(), zh: Type.String() }, { additionalProperties: Type.String() }),
)

const ClockSchema = Type.String({ maxLength: 5 })

/** Times of a day in the hours' zone. Spans neither overlap nor cross midnight. */
export const SpanSchema = Type.Object({
  /** The weekday, from 1 for Monday to 7 for Sunday. */
  day: Type.Integer({ minimum: 1, maximum: 7 }),
  /** The start, as `HH:MM`. */
  from: ClockSchema,
  /** The end, as `HH:MM`, at most `24:00`. */
  to: ClockSchema,
})
export type Span = Static<typeof SpanSchema>

export const HoursSchema = Type.Object({
  /** An IANA time zone name. */
  timeZone: Type.String(),
  spans: Type.Array(SpanSchema, { maxItems: 70 }),
  /** Dates in that zone, as `YYYY-MM-DD`. */
  closed: Type.Array(Type.String({ maxLength: 10 }), { maxItems: 366 }),
})
export type Hours = Static<typeof HoursSchema>

const AskSchema = Type.Union([Type.Literal('off'), Type.Literal('optional'), Type.Literal('required')])
export const PreChatSchema = Type.Object({ name: AskSchema, email: AskSchema, examAt: AskSchema })
export type PreChat = Static<typeof PreChatSchema>

const QuickRepliesSchema = Type.Array(Type.String(), { maxItems: 5 })

/** The quick replies in each language. */
export interface LocalizedReplies {
  en: string[]
  zh: string[]
  [tag: string]: string[]
}

/** A card that visitors without a conversation see: its conditions and its words. */
export const CardSchema = Type.Object({
  /** The card's unique ID. A visitor sees no two cards with the same one. */
  id: CardIdSchema,
  /** A pattern for the page's path. `*` stands for any characters. */
  path: Type.String(),
  /** For how many seconds pages with such a path must have been visible, one after another. */
  afterSeconds: Type.Integer({ minimum: 0, maximum: CARD_SECONDS_MAX }),
  /** The chat's language. Null means any. */
  language: Type.Union([Type.String({ pattern: LANGUAGE_TAG_PATTERN }), Type.Null()]),
  /** Whether visitors see the card only while an admin is online. */
  onlineOnly: Type.Boolean(),
  text: LocalizedSchema,
  /** The panel's first words, until the conversation is erased. If both languages are empty, the panel shows its usual words. */
  greeting: LocalizedSchema,
})
export type Card = Static<typeof CardSchema>

/** What admins change while the server runs. The use case judges the texts, with a message beside each field. */
export const SettingsSchema = Type.Object({
  /** The version is 0 at first. Each change increments it, and must name the stored one. */
  version: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /** Null if always open. */
  hours: Type.Union([HoursSchema, Type.Null()]),
  /** The text that visitors read while the business is closed. */
  away: LocalizedSchema,
  greeting: LocalizedSchema,
  quickReplies: Type.Unsafe<LocalizedReplies>(
    Type.Object(
      { en: QuickRepliesSchema, zh: QuickRepliesSchema },
      { additionalProperties: QuickRepliesSchema },
    ),
  ),
  /** The tags of the languages that visitors can choose, in order. English is always one of them. */
  languages: Type.Array(Type.String({ pattern: LANGUAGE_TAG_PATTERN }), { maxItems: LANGUAGES_MAX }),
  preChat: PreChatSchema,
  /** Whether visitors may send files. */
  files: Type.Boolean(),
  /** The notice that is shown before a visitor's first file. */
  filesNotice: LocalizedSchema,
  /** Whether visitors are asked for a rating once their conversation is resolved. */
  rating: Type.Boolean(),
  /** Whether pages that may answer are shown to visitors while they type. */
  suggestions: Type.Boolean(),
  cards: Type.Array(CardSchema, { maxItems: CARDS_MAX }),
  /** How many days after their newest message conversations are erased. Null if never. */
  retentionDays: Type.Union([Type.Integer({ minimum: 30, maximum: 3_650 }), Type.Null()]),
  escalation: Type.Object({
    /** How long after an unread message the other admins on duty are notified. */
    afterSeconds: Type.Integer({ minimum: 15, maximum: 3_600 }),
    /** How long after the message a mail follows. Null if none does. */
    thenMailMinutes: Type.Union([Type.Integer({ minimum: 1, maximum: 1_440 }), Type.Null()]),
  }),
  /** With `required`, admins without a second factor can only set one up. */
  secondFactor: Type.Union([Type.Literal('optional'), Type.Literal('required')]),
  /** Whether visitors see who is on duty: names and pictures. */
  showTeam: Type.Boolean(),
})
export type Settings = Static<typeof SettingsSchema>

/** The body of PUT /settings. If `showTeam` or `languages` is missing, as from older programs, it stays as it is. */
export const SettingsChangeSchema = Type.Object({
  ...SettingsSchema.properties,
  showTeam: Type.Optional(SettingsSchema.properties.showTeam),
  languages: Type.Optional(SettingsSchema.properties.languages),
})
export type SettingsChange = Static<typeof SettingsChangeSchema>

export const DEFAULT_SETTINGS: Settings = {
  version: 0,
  hours: null,
  away: { en: '', zh: '' },
  greeting: { en: '', zh: '' },
  quickReplies: { en: [], zh: [] },
  languages: ['en', 'zh'],
  preChat: { name: 'off', email: 'off', examAt: 'off' },
  files: false,
  filesNotice: { en: '', zh: '' },
  rating: false,
  suggestions: true,
  cards: [],
  retentionDays: null,
  escalation: { afterSeconds: 60, thenMailMinutes: null },
  secondFactor: 'optional',
  showTeam: false,
}
