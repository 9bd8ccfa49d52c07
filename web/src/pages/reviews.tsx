import type { ReviewList } from '@proctorpass/shared/schemas/review'
import { useLoaderData } from 'react-router'
import { LoadError } from '../components/load-error.tsx'
import { Pager } from '../components/pager.tsx'
import { ReviewCard } from '../components/review-card.tsx'
import { PAGE_SIZE } from '../content/page-sizes.ts'
import { ReviewForm } from '../forms/review-form.tsx'
import type { ReviewsData } from './reviews-data.ts'
import { TextPage } from './text-page.tsx'
import { useLastLoaded } from './use-last-loaded.ts'

export function ReviewsPage() {
  const data = useLoaderData<ReviewsData>()
  const list = useLastLoaded(data.list, String(data.page))
  const pager = list && { path: '/reviews', page: data.page, count: list.count, perPage: PAGE_SIZE }
  return (
    <TextPage<'reviews'>>
      {({ text }) => (
        <>
          <section className="sheet">
            <h1 data-text="heading">{text.heading}</h1>
            <p className="note" data-text="lead">
              {text.lead} <a href="#add-review">Add yours</a>.
            </p>
            {pager && <Pager {...pager} label="Review pages" />}
            <Reviews list={list} />
            {pager && <Pager {...pager} label="Review pages, below the list" />}
          </section>
          <section className="sheet form-sheet" aria-labelledby="add-review">
            <h2 id="add-review" data-text="formHeading">
              {text.formHeading}
            </h2>
            <p className="note" data-text="formLead">
              {text.formLead}
            </p>
            <ReviewForm />
          </section>
        </>
      )}
    </TextPage>
  )
}

function Reviews({ list }: { list: ReviewList | null }) {
  if (!list) return <LoadError what="reviews" />
  if (list.message) {
    return (
      <div className="list-message">
        <p>{list.message}</p>
        <p>
          Be the first to <a href="#add-review">add one</a>.
        </p>
      </div>
    )
  }
  return (
    <ul className="wide review-grid">
      {list.reviews.map((review) => (
        <li key={review._id}>
          <ReviewCard review={review} />
        </li>
      ))}
    </ul>
  )
}
