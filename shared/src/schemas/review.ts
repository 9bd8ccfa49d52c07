import Type, { type Static } from 'typebox'

export const ReviewSchema = Type.Object({
  _id: Type.String(),
  name: Type.String(),
  /** Free text, such as "March 2026". */
  time: Type.String(),
  /** 1 to 5; fractions are allowed. */
  star: Type.Number(),
  review: Type.String(),
})
export type Review = Static<typeof ReviewSchema>

/** Newest first. `message` only when `reviews` is empty, also beyond the end; `count` is of all. */
export const ReviewListSchema = Type.Object({
  reviews: Type.Array(ReviewSchema),
  count: Type.Integer(),
  message: Type.Optional(Type.String()),
})
export type ReviewList = Static<typeof ReviewListSchema>

/** Any text may be asked for: what is no id is simply not found. */
export const ReviewIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })
