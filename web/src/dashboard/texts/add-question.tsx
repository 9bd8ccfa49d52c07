import { checkText } from '@proctorpass/shared/fields/page-texts'
import { ALT_REQUIRED } from '@proctorpass/shared/fields/post'
import type { LiveConfig } from '@proctorpass/shared/schemas/config'
import type { NewQuestion, QuestionGroup, SavedQuestion } from '@proctorpass/shared/schemas/faq'
import { textPaths } from '@proctorpass/shared/text-paths'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { callAsAdmin } from '../../lib/session.ts'
import { type Description, isDescribed } from '../posts/alt-text-field.tsx'
import { EditorSlot } from '../posts/editor/editor-slot.tsx'
import { DraftNote, TextField } from '../ui/admin-form.tsx'
import { AskBeforeLeaving } from '../ui/ask-before-leaving.tsx'
import { Field } from '../ui/field.tsx'
import { readFormDraft } from '../ui/form-draft.ts'
import { englishName } from '../ui/language-names.ts'
import { liveConfigQuery } from '../ui/live-config.ts'
import { SubmitButton } from '../ui/submit-button.tsx'
import { useAdminForm } from '../ui/use-admin-form.ts'
import { ENGLISH, FAQ, TEXTS } from './texts.ts'
import '../posts/posts.css'

const EITHER = new Intl.ListFormat('en-US', { type: 'disjunction' })

interface AddQuestionProps {
  /** The question's first words, such as what visitors ask about. */
  question: string
  groups: readonly QuestionGroup[]
  /** Called once the question is stored, or when the admin gives up. */
  onEnd: () => void
}

/** Adds a question in English as the last one of a group. */
export function AddQuestion({ question, groups, onEnd }: AddQuestionProps) {
  const queryClient = useQueryClient()
  const draftKey = `draft:question:${question}`
  const [start, setStart] = useState(() => ({
    html: readFormDraft<NewQuestion>(draftKey)?.answer ?? '',
    number: 0,
  }))
  const images = useRef<readonly Description[]>([])
  const isUploading = useRef(false)
  const admin = useAdminForm<NewQuestion>({
    defaultValues: { question, answer: '', group: groups[0]?.id ?? '' },
    draftKey,
    problems({ question, answer }) {
      const { details, tooLong } = checkText('question', { question, answer })
      const all = [...details, ...tooLong].map(({ field, message }) => ({
        ...{ field: field.replace('fields/', ''), message },
      }))
      if (isUploading.current) all.push({ field: 'answer', message: 'Wait until the image is uploaded' })
      else if (!images.current.every(isDescribed)) all.push({ field: 'answer', message: ALT_REQUIRED })
      return all
    },
    async send(body) {
      const { message } = await callAsAdmin<SavedQuestion>(textPaths.faq, { method: 'POST', body })
      admin.unsaved.current = false
      void queryClient.invalidateQueries({ queryKey: FAQ })
      void queryClient.invalidateQueries({ queryKey: TEXTS })
      onEnd()
      return message
    },
  })
  const { form, busy } = admin
  const { data: config } = useQuery(liveConfigQuery)
  // While a cluster is upgraded, a node may still run the release that has no list.
  const tags = (config as Partial<LiveConfig> | undefined)?.languages?.tags ?? []
  const others = tags.filter((tag) => tag !== ENGLISH)
  const label = useId()
  const refusal = admin.errorOf('answer')
  const areImagesRefused = refusal === ALT_REQUIRED
  const error = areImagesRefused ? undefined : refusal
  const typed = form.watch('question')
  useEffect(() => form.setFocus('question'), [form])

  return (
    <form className="card add-question" {...admin.props}>
      <h2>New question</h2>
      <div className="add-question-fields">
        {others.length > 0 && (
          <p className="field-hint">
            Write it in English first. Once it is saved, open it with Edit, and choose{' '}
            {EITHER.format(others.map(englishName))} as its language.
          </p>
        )}
        <DraftNote
          form={{
            hasDraft: admin.hasDraft,
            discardDraft() {
              admin.discardDraft()
              setStart({ html: '', number: start.number + 1 })
            },
          }}
        />
        <div className="counted">
          <TextField
            form={admin}
            name="question"
            label="Question"
            hint={`${Array.from(typed.trim()).length} of 200 characters`}
            type="text"
            autoComplete="off"
            dir="auto"
          />
        </div>
        <Field label="Group" error={admin.errorOf('group')}>
          {(shared) => (
            <select {...shared} {...form.register('group')}>
              {groups.map(({ id, title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div className="field">
          <span className="field-label" id={label}>
            Answer
          </span>
          <EditorSlot
            key={start.number}
            labelledBy={label}
            errorId={`${label}-error`}
            invalid={error !== undefined}
            initialHtml={start.html}
            areImagesRefused={areImagesRefused}
            onImages={(found) => {
              images.current = found
            }}
            onReady={ignoreImages}
            onUploading={(is) => {
              isUploading.current = is
            }}
            onChange={(html) => {
              form.setValue('answer', html, { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
            }}
          />
          {error !== undefined && (
            <p className="field-error" id={`${label}-error`}>
              {error}
            </p>
          )}
        </div>
      </div>
      <div className="card-end">
        <button type="button" className="button" onClick={onEnd}>
          Cancel
        </button>
        <SubmitButton busy={busy}>Save</SubmitButton>
      </div>
      <AskBeforeLeaving unsaved={admin.unsaved} />
    </form>
  )
}

/** Only the editor itself adds images. */
function ignoreImages(): void {}
