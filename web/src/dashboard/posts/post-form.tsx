import { POST_FIELDS } from '@proctorpass/shared/fields/post'
import { BLOG_SUMMARY_MAX, SLUG_MAX } from '@proctorpass/shared/limits'
import { type KeyboardEvent, type ReactNode, useId } from 'react'
import { TextField } from '../ui/admin-form.tsx'
import { AskBeforeLeaving } from '../ui/ask-before-leaving.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { EditorSlot } from './editor/editor-slot.tsx'
import { usePreview } from './image-field.tsx'
import { PostAside } from './post-aside.tsx'
import { InPostHead } from './post-page.tsx'
import { PostPreview } from './post-preview.tsx'
import {
  type PostFormOptions,
  type PostFormState,
  type PostFormValues,
  usePostForm,
} from './use-post-form.ts'
import '../ui/content.css'

interface PostFormProps extends PostFormOptions {
  submitLabel: string
  /** Rendered above the fields once another admin has saved the post. */
  children?: (conflict: NonNullable<PostFormState['conflict']>) => ReactNode
}

/** Edits a new or a stored post. The text survives reloads, ended sessions, and failures. */
export function PostForm({ submitLabel, children, ...options }: PostFormProps) {
  const post = usePostForm(options)
  const { admin, values, image } = post
  const preview = usePreview(values.file) ?? image
  const savedSlug = post.isNew ? null : options.saved.slug
  const id = useId()

  function handleKeyDown(event: KeyboardEvent): void {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    if (!admin.busy) void admin.submit()
  }

  return (
    <form id={id} className="post-form" {...admin.props} onKeyDown={handleKeyDown}>
      <InPostHead>
        <p className="post-state" role="status">
          {post.isDirty && 'Draft kept in this browser'}
        </p>
        {post.savedSlug !== null && (
          <a
            className="button button-quiet"
            href={`/blog/${post.savedSlug}`}
            target="_blank"
            rel="noreferrer"
          >
            View post
          </a>
        )}
        <SubmitButton form={id} busy={admin.busy} aria-keyshortcuts="Control+S Meta+S" data-tip="Ctrl+S">
          {submitLabel}
        </SubmitButton>
      </InPostHead>
      <div className="post-write">
        {post.hasDraft && (
          <p className="work-note" role="status">
            Your unsaved draft was restored.
            {post.isFileLost && !values.file ? ' Choose the image again.' : ''}{' '}
            <button type="button" className="link-button" onClick={post.discardDraft}>
              Discard draft
            </button>
          </p>
        )}
        {post.conflict && children?.(post.conflict)}
        <TextFields admin={admin} values={values} savedSlug={savedSlug} />
        <ContentField post={post} key={post.start.number} />
        <PostPreview fields={values} image={preview} />
      </div>
      <PostAside post={post} savedSlug={savedSlug} createdAt={options.createdAt} preview={preview} />
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
  const { title, summary } = POST_FIELDS

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
        className="post-title-input"
        type="text"
        autoComplete="off"
        dir="auto"
      />
      <div className="counted">
        <TextField
          form={admin}
          name="summary"
          label="Summary"
          hint={`${Array.from(summary.clean(values.summary)).length} of ${BLOG_SUMMARY_MAX} characters`}
          rule={summary}
          rows={2}
          dir="auto"
        />
      </div>
    </>
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
