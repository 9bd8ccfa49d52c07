import type { Review } from '@proctorpass/shared/schemas/review'
import { Stars } from './stars.tsx'

export function ReviewCard({ review }: { review: Review }) {
  return (
    <figure className="review">
      <Stars star={review.star} />
      <blockquote>
        <p>{review.review}</p>
      </blockquote>
      <figcaption>
        <b>{review.name}</b> {review.time}
      </figcaption>
    </figure>
  )
}
