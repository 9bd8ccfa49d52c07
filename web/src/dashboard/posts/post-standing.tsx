import type { PostState } from '@proctorpass/shared/post-states'
import type { Blog } from '@proctorpass/shared/schemas/blog'
import { useId, useState } from 'react'
import { ConfirmDialog } from '../ui/dialog.tsx'
import { onDemand } from '../ui/on-demand.tsx'
import { shownTime } from '../ui/shown-time.ts'
import { StateChip } from './post-state.tsx'
import { PreviewLinkBox } from './preview-link-box.tsx'

const PostHistory = onDemand(async () => (await import('./post-history.tsx')).PostHistory)

interface PostStandingProps {
  post: Blog
  state: PostState
  previewExpiresAt: string | undefined
  /** Whether the form has changes that are not stored. */
  isDirty: boolean
  /** Receives the post after an earlier version was restored. */
  onRestored: (post: Blog) => void
  /** Makes the post a draft again. */
  onDraft: () => void
}

/** Says who sees a stored post, and since or from when. */
export function PostStanding(props: PostStandingProps) {
  const { post, state, previewExpiresAt, isDirty, onRestored, onDraft } = props
  const { _id, publishAt, author, readingMinutes } = post
  const heading = useId()
  const [isAsking, setAsking] = useState(false)
  const [hasHistory, setHistory] = useState(false)
  const closeHistory = () => setHistory(false)
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
      <div className="post-standing-actions">
        <button type="button" className="button button-s" onClick={() => setHistory(true)}>
          History
        </button>
        {state !== 'draft' && (
          <button
            type="button"
            className="button button-s"
            onClick={() => (state === 'published' ? setAsking(true) : onDraft())}
          >
            Back to draft
          </button>
        )}
      </div>
      {hasHistory && (
        <PostHistory
          post={post}
          isDirty={isDirty}
          onRestored={onRestored}
          onClose={closeHistory}
          onFailed={closeHistory}
        />
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
