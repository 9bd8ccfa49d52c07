import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import type { Done } from '@proctorpass/shared/schemas/list'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { EmptyState } from '../ui/empty-state.tsx'
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
      <ul>
        {reviews.map(({ _id, name, time, star, review }) => (
          <li key={_id}>
            <p>
              <b dir="auto">{name}</b>, {star} out of 5 stars, {time}
            </p>
            <p className="long-text" dir="auto">
              {review}
            </p>
            <p className="row-actions">
              <button
                type="button"
                className="link-button"
                disabled={approve.isPending}
                onClick={() => approve.mutate(_id)}
              >
                Approve <span className="visually-hidden">the review of {name}</span>
              </button>
              <button
                type="button"
                className="link-button link-button-red"
                onClick={() => ask(paths.reviewById(_id))}
              >
                Remove <span className="visually-hidden">the review of {name}</span>
              </button>
            </p>
          </li>
        ))}
      </ul>
      {dialog}
    </section>
  )
}
