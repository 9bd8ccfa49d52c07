import { Pencil, Plus, Star, Trash2 } from 'virtual:icons'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import type { Review, ReviewChange, ReviewList, SavedReview } from '@proctorpass/shared/schemas/review'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { Icon } from '../../components/icon.tsx'
import { PAGE_SIZE } from '../../content/page-sizes.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { useSiteConfig } from '../../lib/site-config.ts'
import { FormDialog } from '../ui/admin-form.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { PagedList, usePagedList } from '../ui/paged-list.tsx'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { useDelete } from '../ui/use-delete.tsx'
import { PendingReviews } from './pending-reviews.tsx'
import { ReviewFields, type ReviewValues, reviewOf, valuesOf } from './review-fields.tsx'
import { REVIEWS, usePendingReviews } from './reviews.ts'
import '../ui/content.css'
import './reviews.css'

export function MyReviewsPage() {
  const { publicReviews } = useSiteConfig()
  const pending = usePendingReviews().data?.count ?? 0
  const reviews = usePagedList<ReviewList>(REVIEWS, paths.reviews, PAGE_SIZE)
  const [edited, setEdited] = useState<Review | null>(null)
  const { ask, dialog } = useDelete({
    title: 'Delete Review!',
    question: 'Are you sure you want to delete this review?',
    list: REVIEWS,
  })
  const before = (reviews.page - 1) * reviews.perPage
  return (
    <section className="dashboard-page">
      <PageHeading
        actions={
          <Link to="/dashboard/add-review" className="button button-primary">
            <Icon of={Plus} />
            Add review
          </Link>
        }
      >
        Reviews
      </PageHeading>
      {publicReviews === 'off' && (
        <p className="page-note">
          Public reviews are off: the review form thanks visitors but stores nothing. To receive their reviews
          and approve them here, start the server with <code>PUBLIC_REVIEWS=moderated</code>.
        </p>
      )}
      {(publicReviews === 'moderated' || pending > 0) && <PendingReviews />}
      <PagedList
        label="Review pages"
        list={reviews}
        whenEmpty={
          <Link to="/dashboard/add-review" className="button">
            Add a review
          </Link>
        }
      >
        {(data) => (
          <table className="rows review-rows">
            <thead>
              <tr>
                <th scope="col">Id</th>
                <th scope="col">Name</th>
                <th scope="col">Time</th>
                <th scope="col">Review</th>
                <th scope="col">Action</th>
              </tr>
            </thead>
            <tbody>
              {data.reviews.map((review, index) => (
                <tr key={review._id}>
                  <td data-label="Id">{before + index + 1}</td>
                  <td data-label="Name" dir="auto">
                    {review.name}
                  </td>
                  <td data-label="Time">{review.time}</td>
                  <td data-label="Review" dir="auto">
                    <span className="review-stars">
                      <Icon of={Star} />
                      {review.star}
                      <span className="visually-hidden"> out of 5</span>
                    </span>{' '}
                    {review.review}
                  </td>
                  <td data-label="Action">
                    <IconButton
                      icon={Pencil}
                      label={`Edit the review of ${review.name}`}
                      tip="Edit"
                      onClick={() => setEdited(review)}
                    />
                    <IconButton
                      icon={Trash2}
                      label={`Delete the review of ${review.name}`}
                      tip="Delete"
                      onClick={() => ask(adminPaths.reviewById(review._id))}
                    />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </PagedList>
      {edited && <EditReview review={edited} onClose={() => setEdited(null)} />}
      {dialog}
    </section>
  )
}

function EditReview({ review, onClose }: { review: Review; onClose: () => void }) {
  const queryClient = useQueryClient()
  const form = useAdminForm<ReviewValues>({
    defaultValues: valuesOf(review),
    fieldOf: (name) => (name === 'newReview' ? 'review' : name),
    async send(values) {
      const { review: newReview, ...others } = reviewOf(values)
      const body: ReviewChange = { ...others, newReview }
      const { message } = await callAsAdmin<SavedReview>(adminPaths.reviewById(review._id), {
        method: 'PATCH',
        body,
      })
      void queryClient.invalidateQueries({ queryKey: REVIEWS })
      onClose()
      return message
    },
  })
  return (
    <FormDialog title="Edit Review" form={form} submitLabel="Edit" onClose={onClose}>
      <ReviewFields form={form} order={['time', 'name']} starLabel="Star" />
    </FormDialog>
  )
}
