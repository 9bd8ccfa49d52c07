import { Check, Star, Trash2 } from 'virtual:icons'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Done } from '@proctorpass/shared/schemas/list'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Icon } from '../../components/icon.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { Loading } from '../ui/loading.tsx'
import { useDelete } from '../ui/use-delete.tsx'
import { PENDING_REVIEWS, REVIEWS, usePendingReviews } from './reviews.ts'

/** Lists submitted reviews, which visitors cannot see until an admin approves them. */
export function PendingReviews() {
  const queryClient = useQueryClient()
  const { data, error, isPending } = usePendingReviews()
  const approve = useMutation({
    mutationFn: (id: string) => callAsAdmin<Done>(adminPaths.reviewApprove(id), { method: 'POST' }),
    onSuccess: async ({ message }) => {
      toast.success(message)
      await Promise.all(
        [PENDING_REVIEWS, REVIEWS].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      )
    },
    onError: (cause) => toast.error(errorMessage(cause)),
  })
  const { ask, dialog } = useDelete({
    title: 'Delete Review!',
    question: 'Are you sure you want to delete this review?',
    list: PENDING_REVIEWS,
  })
  const { reviews, count } = data ?? { reviews: [], count: 0 }
  return (
    <section className="pending" aria-labelledby="pending-heading">
      <h2 id="pending-heading">Waiting for approval{count > 0 && ` (${count})`}</h2>
      {isPending && <Loading />}
      {error && (
        <p role="alert" className="field-error">
          {errorMessage(error)}
        </p>
      )}
      {data && count === 0 && (
        <EmptyState message="No reviews to approve">
          Reviews from the <a href="/reviews">review form</a> appear here.
        </EmptyState>
      )}
      {count > reviews.length && (
        <p>
          Showing the newest {reviews.length} of {count}.
        </p>
      )}
      {reviews.length > 0 && (
        <ul className="card">
          {reviews.map(({ _id, name, time, star, review }) => (
            <li key={_id} className="pending-review">
              <p>
                <b dir="auto">{name}</b>
                <span className="review-stars">
                  <Icon of={Star} />
                  {star}
                  <span className="visually-hidden"> out of 5 stars</span>
                </span>
                <span className="field-hint">{time}</span>
              </p>
              <p className="long-text" dir="auto">
                {review}
              </p>
              <div>
                <button
                  type="button"
                  className="button button-s"
                  disabled={approve.isPending}
                  onClick={() => approve.mutate(_id)}
                >
                  <Icon of={Check} />
                  <span>
                    Approve <span className="visually-hidden">the review of {name}</span>
                  </span>
                </button>
                <IconButton
                  icon={Trash2}
                  label={`Remove the review of ${name}`}
                  tip="Remove"
                  onClick={() => ask(adminPaths.reviewById(_id))}
                />
              </div>
            </li>
          ))}
        </ul>
      )}
      {dialog}
    </section>
  )
}
