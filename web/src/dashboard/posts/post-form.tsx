import { altProblem, POST_FIELDS } from '@proctorpass/shared/fields/post'
import { BLOG_SUMMARY_MAX } from '@proctorpass/shared/limits'
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import { type UseFormReturn, useController } from 'react-hook-form'
import { Spinner } from '../../components/spinner.tsx'
import { AskBeforeLeaving } from '../ui/ask-before-leaving.tsx'
import { Field } from '../ui/field.tsx'
import { AltTextField } from './alt-text-field.tsx'
import { EditorSlot } from './editor/editor-slot.tsx'
import { ImageField, usePreview } from './image-field.tsx'
import { cleanedNote } from './image-file.ts'
import { PostPreview } from './post-preview.tsx'
import type { PostFields } from './posts.ts'
import {
  type PostFormOptions,
  type PostFormState,
  type PostFormValues,
  usePostForm,
} from './use-post-form.ts'
import '../ui/content.css'
import { SLUG_MAX } from '@proctorpass/shared/limits'

interface PostFormProps extends PostFormOptions {
  submitLabel: string
  /** Stands above the submit button; may replace the fields or base them on another version. */
  children?: (change: {
    replace: (fields: PostFields, version: number) => void
    setVersion: (version: number) => void
  }) => ReactNode
}

/** The form of a new or a stored post. Its text survives reloads, lost sessions and failures. */
export function PostForm({ submitLabel, children, ...options }: PostFormProps) {
  const post = usePostForm(options)
  const { form, values, image, progress } = post
  const { isSubmitting } = form.formState
  const preview = usePreview(values.file) ?? image

  function handleKeyDown(event: KeyboardEvent): void {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    if (!isSubmitting) void post.submit()
  }

  return (
    <form
      className="work-form post-form"
      noValidate
      aria-busy={isSubmitting}
      onSubmit={post.submit}
      onKeyDown={handleKeyDown}
    >
      {post.hasDraft && (
        <p className="work-note" role="status">
          Your unsaved draft was restored.
          {post.isFileLost && !values.file ? ' Choose the image again.' : ''}{' '}
          <button type="button" className="link-button" onClick={post.discardDraft}>
            Discard draft
          </button>
        </p>
      )}
      <TextFields form={form} values={values} savedSlug={post.isNew ? null : options.saved.slug} />
      <Cover post={post} />
      <ContentField post={post} key={post.start.number} />
      {children?.(post)}
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
        {post.savedSlug !== null && (
          <a href={`/blog/${post.savedSlug}`} target="_blank" rel="noreferrer">
            View post
          </a>
        )}
        {progress !== null && progress > 0 && (
          <span className="work-progress">
            <progress value={progress} aria-label="Upload" /> {Math.round(progress * 100)}%
          </span>
        )}
      </div>
      <PostPreview fields={values} image={preview} />
      <AskBeforeLeaving unsaved={post.unsaved} />
    </form>
  )
}

interface TextFieldsProps {
  form: UseFormReturn<PostFormValues>
  values: PostFormValues
  /** Null for a new post, whose title proposes a slug. */
  savedSlug: string | null
}

function TextFields({ form, values, savedSlug }: TextFieldsProps) {
  const { title, summary, slug } = POST_FIELDS
  const { errors } = form.formState

  function handleTitle(typed: string): void {
    if (savedSlug !== null || (values.slug !== '' && values.slug !== proposeSlug(values.title))) return
    form.setValue('slug', proposeSlug(typed), {
      shouldDirty: true,
      shouldValidate: form.formState.isSubmitted,
    })
  }

  return (
    <>
      <Field label="Title" error={errors.title?.message}>
        {(shared) => (
          <input
            {...shared}
            {...form.register('title', {
              validate: (text) => title.problem(text) ?? true,
              onChange: ({ target }) => handleTitle(target.value),
            })}
            type="text"
            autoComplete="off"
          />
        )}
      </Field>
      <Field
        label="Summary"
        hint={`${Array.from(summary.clean(values.summary)).length} of ${BLOG_SUMMARY_MAX} characters`}
        error={errors.summary?.message}
      >
        {(shared) => (
          <textarea
            {...shared}
            {...form.register('summary', { validate: (text) => summary.problem(text) ?? true })}
            rows={3}
          />
        )}
      </Field>
      <Field
        label="Slug"
        hint={
          <>
            The post's address:{' '}
            {values.slug === savedSlug ? (
              <a href={`/blog/${savedSlug}`} target="_blank" rel="noreferrer">
                /blog/{savedSlug}
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
            {...form.register('slug', { validate: (text) => slug.problem(text) ?? true })}
            type="text"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
          />
        )}
      </Field>
    </>
  )
}

/** The image and its description. */
function Cover({ post }: { post: PostFormState }) {
  const { form, values, image, isToasted, cleaned, chooseFile } = post
  const { errors, isSubmitted } = form.formState
  const { field } = useController({
    control: form.control,
    name: 'imgAlt',
    rules: { validate: (alt, { isDecorative }) => altProblem(alt, isDecorative) ?? true },
  })
  const options = { shouldDirty: true, shouldValidate: isSubmitted }
  return (
    <fieldset className="cover">
      <legend className="visually-hidden">Image</legend>
      <div data-toasted={isToasted}>
        <ImageField
          label="Upload Image"
          stored={image}
          file={values.file}
          error={errors.file?.message}
          onChange={chooseFile}
        />
      </div>
      <p className="work-note" role="status" hidden={cleaned === undefined}>
        {cleanedNote(cleaned)}
      </p>
      <AltTextField
        value={{ alt: values.imgAlt, isDecorative: values.isDecorative }}
        error={errors.imgAlt?.message}
        inputRef={field.ref}
        onChange={({ alt, isDecorative }) => {
          form.setValue('isDecorative', isDecorative, options)
          form.setValue('imgAlt', alt, options)
        }}
      />
    </fieldset>
  )
}

function ContentField({ post }: { post: PostFormState }) {
  const { form, start, isToasted, imageRefusals, setTextImages, setUploading } = post
  const label = useId()
  const { content: refusal } = form.formState.errors
  // Each image has the error beside it.
  const isOfImages = refusal?.type === 'images'
  const error = isOfImages ? undefined : refusal
  return (
    <div className="field" data-toasted={error === undefined ? undefined : isToasted}>
      <span className="field-label" id={label}>
        Blog Content
      </span>
      <EditorSlot
        labelledBy={label}
        errorId={`${label}-error`}
        invalid={error !== undefined}
        initialHtml={start.html}
        areImagesRefused={isOfImages}
        imageRefusals={imageRefusals}
        onImages={setTextImages}
        onUploading={setUploading}
        onChange={(html) => {
          form.setValue('content', html, {
            shouldDirty: true,
            shouldValidate: form.formState.errors.content !== undefined,
          })
        }}
      />
      {error && (
        <p className="field-error" id={`${label}-error`}>
          {error.message}
        </p>
      )}
    </div>
  )
}

/** A slug from the words of a title in plain letters, as many as fit. */
function proposeSlug(title: string): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/[\p{M}'’]/gu, '')
    .toLowerCase()
    .match(/[a-z]+/g)
  let slug = ''
  for (const word of words ?? []) {
    const longer = slug === '' ? word : `${slug}-${word}`
    if (longer.length > SLUG_MAX) break
    slug = longer
  }
  return slug
}
