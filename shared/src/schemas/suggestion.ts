import Type, { type Static } from 'typebox'
import { SUGGESTED_PATH_MAX, SUGGESTED_PATH_PATTERN } from '../limits.ts'
import { DateSchema } from './report.ts'

const SuggestedPageSchema = Type.Object({
  /** A path on our own pages, such as `/faq?lang=zh#refunds`. */
  path: Type.String(),
  title: Type.String(),
  /** The terms by which the page is found besides its title, separated by spaces. */
  terms: Type.String(),
  /** The beginning of a folded word. The page is suggested only to visitors who write such a word. */
  onlyFor: Type.Optional(Type.String()),
})
export type SuggestedPage = Static<typeof SuggestedPageSchema>

/** Pages that may answer a question: the FAQ's questions, the articles, and posts, newest first. */
export const SuggestionsSchema = Type.Object({ pages: Type.Array(SuggestedPageSchema) })
export type Suggestions = Static<typeof SuggestionsSchema>

/** The path that a visitor opened. It identifies no visitor. */
export const SuggestedPathSchema = Type.Object(
  {
    /** The path of an article, a post, or a FAQ question, such as `/blog/webcams` or `/faq#refunds`, in any language. */
    path: Type.String({ pattern: SUGGESTED_PATH_PATTERN, maxLength: SUGGESTED_PATH_MAX }),
  },
  { additionalProperties: false },
)

export const AnsweredQuerySchema = Type.Object({
  /** The first and the last day, in the opening hours' zone or, without hours, UTC. Both are included. */
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
      /** Null once the page was deleted. */
      title: Type.Union([Type.String(), Type.Null()]),
      opened: Type.Integer(),
      /** How often the page was opened without a visitor's message in the next 30 minutes. */
      answered: Type.Integer(),
    }),
  ),
  /** What the newest first messages of conversations in the range ask about. */
  questions: Type.Object({
    /** True while some of the newest messages are not known yet. */
    indexing: Type.Boolean(),
    /** How many first messages were searched. */
    searched: Type.Integer(),
    /** The number of questions for which no page was found. */
    unanswered: Type.Integer(),
    /** Words in at least five of those messages, most frequent first. */
    words: Type.Array(
      Type.Object({
        word: Type.String(),
        /** How many first messages contain the word. */
        messages: Type.Integer(),
      }),
    ),
  }),
})
export type Answered = Static<typeof AnsweredSchema>
