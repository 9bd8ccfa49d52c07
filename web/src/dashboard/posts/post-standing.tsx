import type { PostState } from '@proctorpass/shared/post-states'
import type { Blog } from '@proctorpass/shared/schemas/blog'
import { useId, useState } from 'react'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { StateChip, shownTime } from './post-state.tsx'
import { PreviewLinkBox } from './preview-link-box.tsx'

interface PostStandingProps {
  post: Blog
  state: PostState
  previewExpiresAt: string | undefined
  /** Makes the post a draft again. */
  onDraft: () => void
}

/** Says who sees a stored post, and since or from when. */
export function PostStanding({ post, state, previewExpiresAt, onDraft }: PostStandingProps) {
  const { _id, publishAt, author, readingMinutes } = post
  const heading = useId()
  const [isAsking, setAsking] = useState(false)
  return (
    <section className="post-standing" aria-labelledby={heading}>
      <h2 className="field-label" id={heading}>
        Status
      </h2>
      <p className="post-standing-state" role="status">
        <StateChip state={state} />{' '}
        {publishAt !== null && <time dateTime={publishAt}>{shownTime(publishAt)}</time>}
      </p>
      <p className="field-hint">
        {author !== null && `By ${author} · `}
        {readingMinutes} min read
      </p>
      {state !== 'draft' && (
        <button
          type="button"
          className="button button-s"
          onClick={() => (state === 'published' ? setAsking(true) : onDraft())}
        >
          Back to draft
        </button>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Take this post off the website?"
          question="It becomes a draft, which only admins see. You can publish it again."
          confirmLabel="Back to draft"
          onConfirm={() => {
            setAsking(false)
            onDraft()
          }}
          onCancel={() => setAsking(false)}
        />
      )}
      <PreviewLinkBox postId={_id} expiresAt={previewExpiresAt} />
    </section>
  )
}
