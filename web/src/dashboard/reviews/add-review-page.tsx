import { NO_MESSAGE } from '@proctorpass/shared/errors'
import { paths } from '@proctorpass/shared/paths'
import type { SavedReview } from '@proctorpass/shared/schemas/review'
import { useQueryClient } from '@tanstack/react-query'
import { toast } from '../../components/toast.ts'
import { useTimedText } from '../../components/use-timed-text.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { DraftNote } from '../ui/admin-form.tsx'
import { AskBeforeLeaving } from '../ui/ask-before-leaving.tsx'
import { PageHeading } from '../ui/page-heading.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { NO_REVIEW, ReviewFields, type ReviewValues, reviewOf } from './review-fields.tsx'
import { REVIEWS } from './reviews.ts'
import '../ui/content.css'

const FAILURE_SHOWN_MS = 10_000

export function AddReviewPage() {
  const queryClient = useQueryClient()
  const [failure, showFailure] = useTimedText(FAILURE_SHOWN_MS)
  const form = useAdminForm<ReviewValues>({
    defaultValues: NO_REVIEW,
    draftKey: 'draft:review',
    async send(values) {
      showFailure(null)
      const body = reviewOf(values)
      const { message } = await callAsAdmin<SavedReview>(paths.reviews, { method: 'POST', body })
      form.restart(NO_REVIEW)
      void queryClient.invalidateQueries({ queryKey: REVIEWS })
      return message
    },
    onFailure(error) {
      const message = errorMessage(error, '')
      if (message === '') toast.error(NO_MESSAGE)
      else showFailure(message)
    },
  })
  return (
    <section className="dashboard-page dashboard-page-narrow">
      <PageHeading>Add review</PageHeading>
      <form className="work-form" {...form.props}>
        <DraftNote form={form} />
        <ReviewFields form={form} order={['name', 'time']} starLabel="Stars" />
        <p className="work-failure" role="alert">
          {failure}
        </p>
        <div className="form-end">
          <SubmitButton busy={form.busy}>Submit</SubmitButton>
        </div>
        <AskBeforeLeaving unsaved={form.unsaved} />
      </form>
    </section>
  )
}
