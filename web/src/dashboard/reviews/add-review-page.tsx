import { NO_MESSAGE } from '@proctorpass/shared/errors'
import { paths } from '@proctorpass/shared/paths'
import type { SavedReview } from '@proctorpass/shared/schemas/review'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { useForm } from 'react-hook-form'
import { toast } from '../../components/toast.ts'
import { useTimedText } from '../../components/use-timed-text.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { AskBeforeLeaving, useUnsaved } from '../ui/ask-before-leaving.tsx'
import { readFormDraft, useFormDraft } from '../ui/form-draft.ts'
import { PageHeading } from '../ui/page-heading.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { NO_REVIEW, REVIEW_FIELD_NAMES, ReviewFields, type ReviewValues, reviewOf } from './review-fields.tsx'
import { REVIEWS } from './reviews.ts'
import '../ui/content.css'

const FAILURE_SHOWN_MS = 10_000
const DRAFT_KEY = 'draft:review'

export function AddReviewPage() {
  const queryClient = useQueryClient()
  const form = useForm<ReviewValues>({ defaultValues: NO_REVIEW })
  const [failure, showFailure] = useTimedText(FAILURE_SHOWN_MS)
  const { isSubmitting, isDirty } = form.formState

  const restore = useEffectEvent(() => {
    const draft = readFormDraft<ReviewValues>(DRAFT_KEY)
    if (draft) form.reset({ ...NO_REVIEW, ...draft }, { keepDefaultValues: true })
  })
  useEffect(() => restore(), [])
  useFormDraft(DRAFT_KEY, isDirty ? form.watch() : null)
  const unsaved = useUnsaved(isDirty)

  async function handleValid(values: ReviewValues): Promise<void> {
    showFailure(null)
    try {
      const { message } = await callAsAdmin<SavedReview>(paths.reviews, {
        method: 'POST',
        body: reviewOf(values),
      })
      form.reset(NO_REVIEW)
      toast.success(message)
      void queryClient.invalidateQueries({ queryKey: REVIEWS })
    } catch (error) {
      for (const { field, message } of refusedFields(error, REVIEW_FIELD_NAMES))
        form.setError(field, { message })
      const message = errorMessage(error, '')
      if (message === '') toast.error(NO_MESSAGE)
      else showFailure(message)
    }
  }

  return (
    <section className="dashboard-page">
      <PageHeading>Add Review</PageHeading>
      <form
        className="work-form"
        noValidate
        aria-busy={isSubmitting}
        onSubmit={form.handleSubmit(handleValid)}
      >
        <ReviewFields form={form} order={['name', 'time']} starLabel="Stars" />
        <p className="work-failure" role="alert">
          {failure}
        </p>
        <div className="form-end">
          <SubmitButton busy={isSubmitting}>Submit</SubmitButton>
        </div>
        <AskBeforeLeaving unsaved={unsaved} />
      </form>
    </section>
  )
}
