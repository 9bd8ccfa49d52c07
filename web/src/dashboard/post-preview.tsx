import { useState } from 'react'
import { PostContent } from '../components/post-content.tsx'
import { SUMMARY_PREVIEW } from '../lib/page-sizes.ts'
import type { PostFields } from './posts.ts'

/** How the post will stand in lists, and how its page will look. */
export function PostPreview({ fields, image }: { fields: PostFields; image: string | undefined }) {
  const [open, setOpen] = useState(false)
  const { title, summary, content } = fields
  return (
    <details className="post-preview" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Preview</summary>
      {open && (
        // A click in it would leave the form.
        <div inert>
          {/* Drawn as the site's card, whose code every visitor's first page carries and should not share. */}
          <div className="post-card post-preview-card">
            {image && <img src={image} alt="" />}
            <div>
              <h3>{title}</h3>
              <p>{Array.from(summary).slice(0, SUMMARY_PREVIEW).join('')}</p>
              <span className="read-more">Read more</span>
            </div>
          </div>
          <article>
            <h2 className="post-preview-title">{title}</h2>
            {image && <img className="post-image" src={image} alt="" />}
            {/* Out of the editor, which knows no element and no attribute but those of its toolbar. */}
            <PostContent html={content} />
          </article>
        </div>
      )}
    </details>
  )
}
