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
  /** The stars of all published reviews that are not samples; missing if there are none. */
  stars: Type.Optional(Type.Object({ count: Type.Integer(), average: Type.Number() })),
  message: Type.Optional(Type.String()),
})
export type ReviewList = Static<typeof ReviewListSchema>

/** The schema accepts any text, because the server answers text that is not an ID with 404. */
export const ReviewIdParamSchema = Type.Object({ id: Type.String({ maxLength: 2_048 }) })

/** Body of POST by an admin. The use case judges the texts after trimming, with a message beside each field. */
export const NewReviewSchema = Type.Object({
  name: Type.String(),
  time: Type.String(),
  /** 1 to 5; fractions are allowed. */
  star: Type.Number(),
  review: Type.String(),
})
export type NewReview = Static<typeof NewReviewSchema>

/** Body of PATCH: any of the fields; the text is called `newReview`. */
export const ReviewChangeSchema = Type.Object({
  name: Type.Optional(Type.String()),
  time: Type.Optional(Type.String()),
  star: Type.Optional(Type.Number()),
  newReview: Type.Optional(Type.String()),
})
export type ReviewChange = Static<typeof ReviewChangeSchema>

/** Body of the public form while PUBLIC_REVIEWS is `moderated`. */
export const SubmittedReviewSchema = Type.Object({
  name: Type.String(),
  star: Type.Number(),
  review: Type.String(),
  /** The honeypot, hidden from people. A filled one is answered as if the review had been stored. */
  website: Type.Optional(Type.String()),
})
export type SubmittedReview = Static<typeof SubmittedReviewSchema>

/** Answer of POST and PATCH. */
export const SavedReviewSchema = Type.Object({ message: Type.String(), data: ReviewSchema })
export type SavedReview = Static<typeof SavedReviewSchema>
