import Type, { type Static } from 'typebox'
import { SUGGESTED_PATH_MAX, SUGGESTED_PATH_PATTERN } from '../limits.ts'
import { DateSchema } from './report.ts'

/** Posts that may answer a question, newest first. The FAQ and the articles are in the pages' build. */
export const SuggestionsSchema = Type.Object({
  pages: Type.Array(
    Type.Object({
      /** A path of ours. */
      path: Type.String(),
      title: Type.String(),
      /** What the post is found by beside its title, with spaces between. */
      terms: Type.String(),
    }),
  ),
})
export type Suggestions = Static<typeof SuggestionsSchema>

/** The path that a visitor opened. It identifies no visitor. */
export const SuggestedPathSchema = Type.Object(
  {
    /** The path of an article, a post, or a FAQ question, such as `/blog/webcams` or `/faq#refunds`. */
    path: Type.String({ pattern: SUGGESTED_PATH_PATTERN, maxLength: SUGGESTED_PATH_MAX }),
  },
  { additionalProperties: false },
)

export const AnsweredQuerySchema = Type.Object({
  /** Days of the zone of the opening hours, else of UTC; both included. */
  from: DateSchema,
  to: DateSchema,
})
export type AnsweredQuery = Static<typeof AnsweredQuerySchema>

export const AnsweredSchema = Type.Object({
  from: DateSchema,
  to: DateSchema,
  /** The pages that visitors opened while they typed, the most opened first. */
  pages: Type.Array(
    Type.Object({
      path: Type.String(),
      /** Null once it is deleted. */
      title: Type.Union([Type.String(), Type.Null()]),
      opened: Type.Integer(),
      /** Opened without a message of the visitor in the 30 minutes after it. */
      answered: Type.Integer(),
    }),
  ),
  /** What the newest first messages of conversations in the range ask. */
  questions: Type.Object({
    /** True while some of the newest are not known yet. */
    indexing: Type.Boolean(),
    /** How many first messages were searched. */
    searched: Type.Integer(),
    /** The number of questions for which no page was found. */
    unanswered: Type.Integer(),
    /** Words of at least five of those, the most frequent first. */
    words: Type.Array(
      Type.Object({
        word: Type.String(),
        /** How many first messages have it. */
        messages: Type.Integer(),
      }),
    ),
  }),
})
export type Answered = Static<typeof AnsweredSchema>
