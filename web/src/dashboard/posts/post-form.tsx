import { CONTENT_REQUIRED, IMAGE_REQUIRED, POST_CONTENT, POST_FIELDS } from '@proctorpass/shared/fields/post'
import { BLOG_SUMMARY_MAX } from '@proctorpass/shared/limits'
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { type FieldErrors, useForm } from 'react-hook-form'
import { Spinner } from '../../components/spinner.tsx'
import { toast } from '../../components/toast.ts'
import { errorMessage, refusedFields } from '../../lib/error-message.ts'
import { AskBeforeLeaving } from '../ui/ask-before-leaving.tsx'
import { Field } from '../ui/field.tsx'
import { readFormDraft, removeFormDraft, useFormDraft } from '../ui/form-draft.ts'
import { keepDraftFile, readDraftFile } from './draft-file.ts'
import { EditorSlot } from './editor/editor-slot.tsx'
import { PictureField, usePreview } from './picture-field.tsx'
import { PostPreview } from './post-preview.tsx'
import { fieldsOf, type PostFields } from './posts.ts'
import { proposeSlug } from './slug.ts'
import '../ui/content.css'

const FIELD_NAMES = ['title', 'summary', 'slug', 'file', 'content'] as const

interface FormValues extends PostFields {
  file: File | null
}

interface Draft {
  fields: PostFields
  /** The version that was being edited. */
  version: number
  /** Whether an image was chosen. */
  hasFile: boolean
}

export interface PostToSend {
  fields: PostFields
  file: File | null
  version: number
  onProgress: (share: number) => void
}

interface PostFormProps {
  /** What is stored; of a new post nothing, and version 0. */
  saved: PostFields
  version: number
  storedImage?: string
  imageLabel: string
  submitLabel: string
  draftKey: string
  /** Resolves with what to say, and with what is stored from now on. */
  send: (post: PostToSend) => Promise<{ message: string; version: number; img?: string }>
  /** Takes over a failure that it knows what to do about, by answering true. */
  onFailure?: (error: unknown) => Promise<boolean>
  onSaved?: (fields: PostFields) => void
  /** Stands above the form's end, and may put another post into it or base it on another version. */
  children?: (change: {
    take: (fields: PostFields, version: number) => void
    setVersion: (version: number) => void
  }) => ReactNode
}

/** The form of a new post and of one that is there. What is typed survives reloads, lost sessions and failures. */
export function PostForm(props: PostFormProps) {
  const { saved, version: savedVersion, storedImage, imageLabel, submitLabel, draftKey, send } = props
  const isNew = savedVersion === 0
  const contentLabel = useId()
  const [draft, setDraft] = useState(() => readFormDraft<Draft>(draftKey))
  const [version, setVersion] = useState(draft?.version ?? savedVersion)
  const [lostFile, setLostFile] = useState(false)
  const [image, setImage] = useState(storedImage)
  const [progress, setProgress] = useState<number | null>(null)
  // What the editor begins with; another number makes it begin anew.
  const [beginning, setBeginning] = useState({ html: draft?.fields.content ?? saved.content, number: 0 })
  const form = useForm<FormValues>({ defaultValues: { ...saved, file: null } })
  const { errors, isSubmitting, isDirty } = form.formState
  const values = form.watch()
  const preview = usePreview(values.file) ?? image

  const restore = useEffectEvent(async () => {
    if (!draft) return
    form.reset({ ...saved, ...draft.fields, file: null }, { keepDefaultValues: true })
    if (!draft.hasFile) return
    const file = await readDraftFile(draftKey)
    // Another one may have been chosen meanwhile.
    if (form.getValues('file') !== null) return
    if (file) form.setValue('file', file, { shouldDirty: true })
    else setLostFile(true)
  })
  useEffect(() => void restore(), [])

  const hasFile = values.file !== null
  useFormDraft(draftKey, isDirty ? ({ fields: fieldsOf(values), version, hasFile } satisfies Draft) : null)
  const unsaved = useRef(false)
  useEffect(() => {
    unsaved.current = isDirty
  }, [isDirty])
  const [isUnsaved] = useState(() => () => unsaved.current)

  function take(fields: PostFields, newVersion: number): void {
    form.reset({ ...fields, file: form.getValues('file') }, { keepDefaultValues: true })
    setVersion(newVersion)
    setBeginning({ html: fields.content, number: beginning.number + 1 })
  }

  function forgetDraft(): void {
    removeFormDraft(draftKey)
    void keepDraftFile(draftKey, null)
    setDraft(null)
  }

  function discardDraft(): void {
    forgetDraft()
    form.reset({ ...saved, file: null })
    setVersion(savedVersion)
    setBeginning({ html: saved.content, number: beginning.number + 1 })
  }

  async function handleValid({ file, ...typed }: FormValues): Promise<void> {
    const fields = { ...typed, slug: POST_FIELDS.slug.clean(typed.slug) }
    setProgress(0)
    try {
      const done = await send({ fields, file, version, onProgress: setProgress })
      // What was typed stays, and is no draft any more.
      form.reset({ ...fields, file: isNew ? file : null })
      unsaved.current = false
      forgetDraft()
      setVersion(done.version)
      if (done.img !== undefined) setImage(done.img)
      toast.success(done.message)
      props.onSaved?.(fields)
    } catch (error) {
      const wrong = refusedFields(error, FIELD_NAMES)
      wrong.forEach(({ field, message }, index) => {
        form.setError(field, { message }, { shouldFocus: index === 0 })
      })
      if (await props.onFailure?.(error)) return
      toast.error(wrong[0]?.message ?? errorMessage(error))
    } finally {
      setProgress(null)
    }
  }

  function handleInvalid(wrong: FieldErrors<FormValues>): void {
    if (wrong.file) toast.warning(IMAGE_REQUIRED)
    if (wrong.content) toast.warning(wrong.content.message ?? CONTENT_REQUIRED)
  }

  const submit = form.handleSubmit(handleValid, handleInvalid)

  function handleKeyDown(event: KeyboardEvent): void {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    if (!isSubmitting) void submit()
  }

  form.register('file', { validate: (file) => !isNew || file !== null || IMAGE_REQUIRED })
  form.register('content', { validate: (content) => POST_CONTENT.problem(content) ?? true })

  return (
    <form
      className="work-form post-form"
      noValidate
      aria-busy={isSubmitting}
      onSubmit={submit}
      onKeyDown={handleKeyDown}
    >
      {draft && (
        <p className="work-note" role="status">
          This is what you had not saved yet
          {lostFile && !values.file ? '; only the image has to be chosen again' : ''}.{' '}
          <button type="button" className="link-button" onClick={discardDraft}>
            Discard the draft
          </button>
        </p>
      )}
      <Field label="Title" error={errors.title?.message}>
        {(shared) => (
          <input
            {...shared}
            {...form.register('title', {
              validate: (title) => POST_FIELDS.title.problem(title) ?? true,
              onChange: ({ target }) => {
                if (!isNew || (values.slug !== '' && values.slug !== proposeSlug(values.title))) return
                form.setValue('slug', proposeSlug(target.value), {
                  shouldDirty: true,
                  shouldValidate: form.formState.isSubmitted,
                })
              },
            })}
            type="text"
            autoComplete="off"
          />
        )}
      </Field>
      <Field
        label="Summary"
        hint={`${Array.from(POST_FIELDS.summary.clean(values.summary)).length} of ${BLOG_SUMMARY_MAX} characters`}
        error={errors.summary?.message}
      >
        {(shared) => (
          <textarea
            {...shared}
            {...form.register('summary', {
              validate: (summary) => POST_FIELDS.summary.problem(summary) ?? true,
            })}
            rows={3}
          />
        )}
      </Field>
      <Field
        label="Slug"
        hint={
          <>
            The post's address:{' '}
            {!isNew && values.slug === saved.slug ? (
              <a href={`/blog/${saved.slug}`} target="_blank" rel="noreferrer">
                /blog/{saved.slug}
              </a>
            ) : (
              `/blog/${values.slug || '…'}`
            )}
          </>
        }
        error={errors.slug?.message}
      >
        {(shared) => (
          <input
            {...shared}
            {...form.register('slug', { validate: (slug) => POST_FIELDS.slug.problem(slug) ?? true })}
            type="text"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
      </Field>
      <PictureField
        label={imageLabel}
        stored={image}
        file={values.file}
        error={errors.file?.message}
        onChange={(file) => {
          form.setValue('file', file, { shouldDirty: true, shouldValidate: form.formState.isSubmitted })
          void keepDraftFile(draftKey, file)
        }}
      />
      <div className="field">
        <span className="field-label" id={contentLabel}>
          Blog Content
        </span>
        <EditorSlot
          key={beginning.number}
          labelledBy={contentLabel}
          errorId={`${contentLabel}-error`}
          invalid={errors.content !== undefined}
          initialHtml={beginning.html}
          onChange={(html) => {
            form.setValue('content', html, {
              shouldDirty: true,
              shouldValidate: form.formState.errors.content !== undefined,
            })
          }}
        />
        {errors.content && (
          <p className="field-error" id={`${contentLabel}-error`}>
            {errors.content.message}
          </p>
        )}
      </div>
      {props.children?.({ take, setVersion })}
      <div className="form-end">
        <button
          type="submit"
          className="button"
          disabled={isSubmitting}
          aria-keyshortcuts="Control+S Meta+S"
          title="Ctrl+S"
        >
          {isSubmitting && <Spinner />}
          {submitLabel}
        </button>
        {progress !== null && progress > 0 && (
          <span className="work-progress">
            <progress value={progress} aria-label="Upload" /> {Math.round(progress * 100)} %
          </span>
        )}
      </div>
      <PostPreview fields={values} image={preview} />
      <AskBeforeLeaving unsaved={isUnsaved} />
    </form>
  )
}
