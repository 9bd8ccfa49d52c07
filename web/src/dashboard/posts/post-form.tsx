import { altProblem, POST_FIELDS } from '@proctorpass/shared/fields/post'
import { BLOG_SUMMARY_MAX } from '@proctorpass/shared/limits'
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import { useController } from 'react-hook-form'
import { TextField } from '../ui/admin-form.tsx'
import { AskBeforeLeaving } from '../ui/ask-before-leaving.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { AltTextField } from './alt-text-field.tsx'
import { EditorSlot } from './editor/editor-slot.tsx'
import { ImageField, usePreview } from './image-field.tsx'
import { cleanedNote } from './image-file.ts'
import { PostPreview } from './post-preview.tsx'
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
  /** Rendered above the submit button once another admin has saved the post. */
  children?: (conflict: NonNullable<PostFormState['conflict']>) => ReactNode
}

/** Edits a new or a stored post. The text survives reloads, ended sessions, and failures. */
export function PostForm({ submitLabel, children, ...options }: PostFormProps) {
  const post = usePostForm(options)
  const { admin, values, image, progress } = post
  const preview = usePreview(values.file) ?? image

  function handleKeyDown(event: KeyboardEvent): void {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    if (!admin.busy) void admin.submit()
  }

  return (
    <form className="work-form post-form" {...admin.props} onKeyDown={handleKeyDown}>
      {post.hasDraft && (
        <p className="work-note" role="status">
          Your unsaved draft was restored.
          {post.isFileLost && !values.file ? ' Choose the image again.' : ''}{' '}
          <button type="button" className="link-button" onClick={post.discardDraft}>
            Discard draft
          </button>
        </p>
      )}
      <TextFields admin={admin} values={values} savedSlug={post.isNew ? null : options.saved.slug} />
      <Cover post={post} />
      <ContentField post={post} key={post.start.number} />
      {post.conflict && children?.(post.conflict)}
      <div className="form-end">
        <SubmitButton busy={admin.busy} aria-keyshortcuts="Control+S Meta+S" title="Ctrl+S">
          {submitLabel}
        </SubmitButton>
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
      <AskBeforeLeaving unsaved={admin.unsaved} />
    </form>
  )
}

interface TextFieldsProps {
  admin: PostFormState['admin']
  values: PostFormValues
  /** Null for a new post, for which the title proposes a slug. */
  savedSlug: string | null
}

function TextFields({ admin, values, savedSlug }: TextFieldsProps) {
  const { form } = admin
  const { title, summary, slug } = POST_FIELDS

  function handleTitle(typed: string): void {
    if (savedSlug !== null || (values.slug !== '' && values.slug !== proposeSlug(values.title))) return
    form.setValue('slug', proposeSlug(typed), {
      shouldDirty: true,
      shouldValidate: form.formState.isSubmitted,
    })
  }

  return (
    <>
      <TextField
        form={admin}
        name="title"
        label="Title"
        rule={title}
        options={{ onChange: ({ target }) => handleTitle(target.value) }}
        type="text"
        autoComplete="off"
      />
      <TextField
        form={admin}
        name="summary"
        label="Summary"
        hint={`${Array.from(summary.clean(values.summary)).length} of ${BLOG_SUMMARY_MAX} characters`}
        rule={summary}
        rows={3}
      />
      <TextField
        form={admin}
        name="slug"
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
        rule={slug}
        type="text"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </>
  )
}

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
  const { form, start, isToasted, setTextImages, setUploading } = post
  const label = useId()
  const { content: refusal } = form.formState.errors
  // Each image has its own error beside it.
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

/** Makes a slug from a title's words in plain letters, with as many words as fit. */
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
