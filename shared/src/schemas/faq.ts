import Type, { type Static } from 'typebox'
import { FAQ_QUESTIONS_MAX } from '../limits.ts'
import { TextStateSchema } from './text.ts'

const Version = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const QuestionSchema = Type.Object({
  /** The question's ID, which is its anchor on the page. It never changes. */
  _id: Type.String(),
  /** The ID of its group. */
  group: Type.String(),
  question: Type.String(),
  /** The answer as sanitized HTML. */
  answer: Type.String(),
  /** The language of both texts: English where they are not translated. */
  lang: Type.String(),
  /** The position in the whole list, from 0. */
  order: Type.Integer(),
  state: TextStateSchema,
  /** The version of the question in the language that was asked for. 0 while it is shipped or not translated. */
  version: Version,
})
export type Question = Static<typeof QuestionSchema>

const GroupSchema = Type.Object({ id: Type.String(), title: Type.String() })
export type QuestionGroup = Static<typeof GroupSchema>

/** The questions in the order of the page, and their groups. `version` is that of the list. */
export const FaqSchema = Type.Object({
  items: Type.Array(QuestionSchema),
  groups: Type.Array(GroupSchema),
  version: Version,
})
export type Faq = Static<typeof FaqSchema>

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const QuestionIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })

/** The body of POST. The use case judges the texts, with a message beside each field. */
export const NewQuestionSchema = Type.Object({
  question: Type.String(),
  answer: Type.String(),
  group: Type.String(),
})
export type NewQuestion = Static<typeof NewQuestionSchema>

/** The body of PATCH. A question's first translation has both texts. */
export const QuestionChangeSchema = Type.Object({
  question: Type.Optional(Type.String()),
  answer: Type.Optional(Type.String()),
  version: Version,
})
export type QuestionChange = Static<typeof QuestionChangeSchema>

/** The answer to POST and PATCH. */
export const SavedQuestionSchema = Type.Object({ message: Type.String(), data: QuestionSchema })
export type SavedQuestion = Static<typeof SavedQuestionSchema>

/** The body of PUT: every question once, each in its group. `version` is that of the list. */
export const FaqOrderSchema = Type.Object({
  items: Type.Array(
    Type.Object({ _id: Type.String({ maxLength: 200 }), group: Type.String({ maxLength: 200 }) }),
    { maxItems: 2 * FAQ_QUESTIONS_MAX },
  ),
  version: Version,
})
export type FaqOrder = Static<typeof FaqOrderSchema>
