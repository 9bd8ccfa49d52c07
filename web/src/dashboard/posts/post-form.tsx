import { POST_FIELDS } from '@proctorpass/shared/fields/post'
import { BLOG_SUMMARY_MAX, SLUG_MAX } from '@proctorpass/shared/limits'
import type { PostState } from '@proctorpass/shared/post-states'
import { type KeyboardEvent, type ReactNode, useCallback, useId, useRef } from 'react'
import { TextField } from '../ui/admin-form.tsx'
import { AskBeforeLeaving } from '../ui/ask-before-leaving.tsx'
import { SubmitButton } from '../ui/submit-button.tsx'
import { EditorSlot } from './editor/editor-slot.tsx'
import type { RichTextEditorProps } from './editor/rich-text-editor.tsx'
import { usePreview } from './image-field.tsx'
import { PostAside } from './post-aside.tsx'
import { InPostHead } from './post-page.tsx'
import { PostPreview } from './post-preview.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { usePastedImages } from './use-pasted-images.ts'
import { type Intent, type PostFormOptions, type PostFormState, usePostForm } from './use-post-form.ts'
import '../ui/content.css'

interface PostFormProps extends PostFormOptions {
  /** What the page says about a stored post's state, beside the fields. */
  standing?: (post: PostFormState) => ReactNode
  /** Rendered above the fields once another admin has saved the post. */
  children?: (conflict: NonNullable<PostFormState['conflict']>) => ReactNode
}

/** Edits a new or a stored post. The text survives reloads, ended sessions, and failures. */
export function PostForm({ standing, children, ...options }: PostFormProps) {
  const post = usePostForm(options)
  const { admin, values, image } = post
  const preview = usePreview(values.file) ?? image
  const savedSlug = post.isNew ? null : options.saved.slug
  const id = useId()

  const cover = useRef<HTMLInputElement>(null)
  const addImages = useRef<((files: File[]) => void) | null>(null)
  const setAddImages = useCallback((add: typeof addImages.current) => {
    addImages.current = add
  }, [])
  usePastedImages({
    cover: () => cover.current,
    hasCover: values.file !== null || image !== undefined,
    addToText: (files) => addImages.current?.(files),
    onCover: () => post.form.setFocus('imgAlt'),
  })

  function handleKeyDown(event: KeyboardEvent): void {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
    event.preventDefault()
    post.submitAs(mainIntent(options.state))
  }

  return (
    <form
      id={id}
      className="post-form"
      {...admin.props}
      onSubmit={(event) => {
        event.preventDefault()
        post.submitAs(mainIntent(options.state))
      }}
      onKeyDown={handleKeyDown}
    >
      <InPostHead>
        <p className="post-state" role="status">
          {post.isDirty && 'Unsaved changes kept in this browser'}
        </p>
        <div className="post-buttons">
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
          <PostButtons form={id} post={post} state={options.state} />
        </div>
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
        <TextFields post={post} savedSlug={savedSlug} />
        <ContentField post={post} onReady={setAddImages} key={post.start.number} />
        <PostPreview fields={values} image={preview} />
      </div>
      <PostAside
        post={post}
        publicSlug={options.state === 'published' ? savedSlug : null}
        date={options.date}
        coverRef={cover}
        preview={preview}
      >
        {standing?.(post)}
      </PostAside>
      {post.asked && <ScheduleDialog {...post.asked} />}
      <AskBeforeLeaving unsaved={admin.unsaved} />
    </form>
  )
}

/** Returns what Enter and Ctrl+S do. */
function mainIntent(state: PostState | undefined): Intent {
  if (state === undefined) return 'published'
  return state === 'draft' ? 'draft' : 'kept'
}

interface PostButtonsProps {
  form: string
  post: PostFormState
  state: PostState | undefined
}

function PostButtons({ form, post, state }: PostButtonsProps) {
  const { busy } = post.admin
  const main = { form, busy, 'aria-keyshortcuts': 'Control+S Meta+S', 'data-tip': 'Ctrl+S' }
  const other = (label: string, intent: Intent, isMain = false) => (
    <button
      type="button"
      className={isMain ? 'button button-primary' : 'button'}
      aria-disabled={busy}
      onClick={() => post.submitAs(intent)}
    >
      {label}
    </button>
  )
  if (state === 'draft') {
    return (
      <>
        <SubmitButton {...main} isPlain>
          Save draft
        </SubmitButton>
        {other('Schedule', 'scheduled')}
        {other('Publish', 'published', true)}
      </>
    )
  }
  return (
    <>
      {state === undefined && other('Save draft', 'draft')}
      {state === 'scheduled' && other('Publish', 'published')}
      {state !== 'published' && other('Schedule', 'scheduled')}
      <SubmitButton {...main}>{state === undefined ? 'Add' : 'Submit'}</SubmitButton>
    </>
  )
}

interface TextFieldsProps {
  post: PostFormState
  /** Null for a new post, for which the title proposes a slug. */
  savedSlug: string | null
}

function TextFields({ post, savedSlug }: TextFieldsProps) {
  const { admin, form, values, unlessDraft } = post
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
          rule={{ problem: unlessDraft(summary) }}
          rows={2}
          dir="auto"
        />
      </div>
    </>
  )
}

interface ContentFieldProps {
  post: PostFormState
  onReady: RichTextEditorProps['onReady']
}

function ContentField({ post, onReady }: ContentFieldProps) {
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
        onReady={onReady}
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
