import type { Review } from '@proctorpass/shared/schemas/review'

export function ReviewCard({ review }: { review: Review }) {
  return (
    <figure className="review">
      <Stars star={review.star} />
      <blockquote>
        <p>{review.review}</p>
      </blockquote>
      <figcaption>
        <span className="review-initial" aria-hidden="true">
          {[...review.name][0]?.toUpperCase()}
        </span>
        <b>{review.name}</b> <span className="review-time">{review.time}</span>
      </figcaption>
    </figure>
  )
}

const OUTLINE =
  'M10 2.200l2.400 5 5.500.700-4 3.800 1 5.400-4.900-2.700-4.900 2.700 1-5.400-4-3.800 5.500-.700z'
const LEFT_HALF = 'M10 2.200v12.200l-4.900 2.700 1-5.400-4-3.800 5.500-.700z'

/** Shows a rating from 0 to 5. The drawing is rounded down to half stars, and the name has the exact number. */
export function Stars({ star }: { star: number }) {
  const drawn = Math.floor(star * 2) / 2
  return (
    <span className="stars" role="img" aria-label={`${star} out of 5`}>
      {[1, 2, 3, 4, 5].map((position) => (
        <svg key={position} viewBox="0 0 20 20" aria-hidden="true">
          {drawn >= position && <path className="stars-ink" d={OUTLINE} />}
          {drawn === position - 0.5 && <path className="stars-ink" d={LEFT_HALF} />}
          <path d={OUTLINE} />
        </svg>
      ))}
    </span>
  )
}
