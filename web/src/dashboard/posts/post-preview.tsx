import { ChevronRight } from 'virtual:icons'
import { POST_CONTENT } from '@proctorpass/shared/fields/post'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { PostContent } from '../../components/post-content.tsx'
import { SUMMARY_PREVIEW } from '../../content/page-sizes.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { preview } from '../../lib/preview.ts'
import { Loading } from '../ui/loading.tsx'
import { type PostFields, previewContent } from './posts.ts'

/** Debounces the preview's requests. */
const PAUSE_MS = 400

/** Shows the post as its own page. */
export function PostPreview({ fields, image }: { fields: PostFields; image: string | undefined }) {
  const [open, setOpen] = useState(false)
  const { title, content, imgAlt, isDecorative } = fields
  const alt = isDecorative ? '' : imgAlt
  return (
    <details
      className="post-preview disclosure"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <Icon of={ChevronRight} />
        Preview
      </summary>
      {open && (
        // The preview is inert, because a click on a link would leave the form.
        <div inert>
          <article>
            <h2 className="post-preview-title">{title}</h2>
            {image && <img className="post-image" src={image} alt={alt} />}
            <ContentPreview content={content} />
          </article>
        </div>
      )}
    </details>
  )
}

interface CardPreviewProps {
  fields: PostFields
  image: string | undefined
  /** Undefined for a new post, which gets today's date. */
  date: string | undefined
}

const DATE = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

/** Shows the post as its card in a list. */
export function CardPreview({ fields, image, date }: CardPreviewProps) {
  const { title, summary, imgAlt, isDecorative } = fields
  return (
    <section className="card-preview" aria-labelledby="post-card-heading">
      <h2 id="post-card-heading" className="field-label">
        Post card
      </h2>
      {/* This copies the site's card: sharing the component would split it from the entry chunk. */}
      <div className="post-card" inert>
        {image ? (
          <img src={image} alt={isDecorative ? '' : imgAlt} />
        ) : (
          <span className="card-preview-image" />
        )}
        <div>
          <p className="post-date">{DATE.format(date ? new Date(date) : new Date())}</p>
          <h3 dir="auto">{title || 'Title'}</h3>
          <p dir="auto">{preview(summary, SUMMARY_PREVIEW) || 'Summary'}</p>
          <span className="read-more">Read more</span>
        </div>
      </div>
    </section>
  )
}

/** Shows the content after the server has sanitized it, because the editor's own HTML is never trusted. */
function ContentPreview({ content }: { content: string }) {
  const [settled, setSettled] = useState(content)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(content), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [content])
  // If the content is too long to send, this says so. The server would name its own limit, which is larger.
  const problem = settled === '' ? null : POST_CONTENT.problem(settled)
  const { data, error } = useQuery({
    enabled: problem === null,
    queryKey: ['preview', settled],
    queryFn: ({ signal }) => previewContent(settled, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const failure = problem ?? (error && errorMessage(error))
  if (failure) return <p className="field-error">{failure}</p>
  return data === undefined ? <Loading /> : <PostContent html={data} />
}
