import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from '../../components/toast.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { CopyBox } from '../ui/copy-box.tsx'
import { shownTime } from '../ui/shown-time.ts'
import { endPreviewLink, makePreviewLink } from './posts.ts'

interface PreviewLinkBoxProps {
  postId: string
  /** When the link that was made earlier expires. Its address is known only to those who have it. */
  expiresAt: string | undefined
}

/** Makes, shows, and revokes the link with which people without an account read the post. */
export function PreviewLinkBox({ postId, expiresAt }: PreviewLinkBoxProps) {
  const [link, setLink] = useState<{ url?: string; expiresAt: string } | null>(
    expiresAt ? { expiresAt } : null,
  )
  const onError = (error: unknown) => toast.error(errorMessage(error))
  const making = useMutation({ mutationFn: () => makePreviewLink(postId), onSuccess: setLink, onError })
  const ending = useMutation({
    mutationFn: () => endPreviewLink(postId),
    onSuccess() {
      setLink(null)
      toast.success('Preview link revoked')
    },
    onError,
  })
  const busy = making.isPending || ending.isPending
  return (
    <div className="preview-link">
      {link?.url !== undefined && <CopyBox label="Preview link" text={link.url} />}
      <p className="field-hint">
        {link === null
          ? 'With a preview link, anyone can read the saved post for 7 days.'
          : `Anyone with the preview link can read the saved post until ${shownTime(link.expiresAt)}.`}
      </p>
      <div className="preview-link-actions">
        <button
          type="button"
          className="button button-s"
          aria-disabled={busy}
          onClick={() => busy || making.mutate()}
        >
          {link === null ? 'Make preview link' : 'Make new link'}
        </button>
        {link !== null && (
          <button
            type="button"
            className="button button-s button-quiet"
            aria-disabled={busy}
            onClick={() => busy || ending.mutate()}
          >
            Revoke link
          </button>
        )}
      </div>
    </div>
  )
}
