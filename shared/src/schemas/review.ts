import Type, { type Static } from 'typebox'

export const ReviewSchema = Type.Object({
  _id: Type.String(),
  name: Type.String(),
  /** Free text, such as "March 2026". */
  time: Type.String(),
  /** The stars, from 1 to 5. Fractions are allowed. */
  star: Type.Number(),
  review: Type.String(),
})
export type Review = Static<typeof ReviewSchema>

/**
 * Reviews, newest first. `message` is present only if `reviews` is empty, which includes pages beyond the end. `count`
 * counts all of them.
 */
export const ReviewListSchema = Type.Object({
  reviews: Type.Array(ReviewSchema),
  count: Type.Integer(),
  /** The stars of all published reviews that are not samples; missing if there are none. */
  stars: Type.Optional(Type.Object({ count: Type.Integer(), average: Type.Number() })),
  message: Type.Optional(Type.String()),
})
export type ReviewList = Static<typeof ReviewListSchema>

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const ReviewIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })

/** The body of an admin's POST. The use case judges the texts after trimming, with a message beside each field. */
export const NewReviewSchema = Type.Object({
  name: Type.String(),
  time: Type.String(),
  /** The stars, from 1 to 5. Fractions are allowed. */
  star: Type.Number(),
  review: Type.String(),
})
export type NewReview = Static<typeof NewReviewSchema>

/** The body of PATCH, with any of the fields. The text is called `newReview`. */
export const ReviewChangeSchema = Type.Object({
  name: Type.Optional(Type.String()),
  time: Type.Optional(Type.String()),
  star: Type.Optional(Type.Number()),
  newReview: Type.Optional(Type.String()),
})
export type ReviewChange = Static<typeof ReviewChangeSchema>

/** The body of the public form while PUBLIC_REVIEWS is `moderated`. */
export const SubmittedReviewSchema = Type.Object({
  name: Type.String(),
  star: Type.Number(),
  review: Type.String(),
  /** The honeypot, hidden from people. A filled one is answered as if the review had been stored. */
  website: Type.Optional(Type.String()),
})
export type SubmittedReview = Static<typeof SubmittedReviewSchema>

/** The answer to POST and PATCH. */
export const SavedReviewSchema = Type.Object({ message: Type.String(), data: ReviewSchema })
export type SavedReview = Static<typeof SavedReviewSchema>
