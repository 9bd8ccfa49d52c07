import { useState } from 'react'
import { PostCard } from '../components/post-card.tsx'
import { PostContent } from '../components/post-content.tsx'
import type { PostFields } from './posts.ts'

/** How the post will stand in lists, and how its page will look. */
export function PostPreview({ fields, image }: { fields: PostFields; image: string | undefined }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="post-preview" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Preview</summary>
      {open && (
        // A click in it would leave the form.
        <div inert>
          <div className="post-preview-card">
            <PostCard
              heading="h3"
              post={{
                ...fields,
                _id: '',
                img: image ?? '',
                createdAt: new Date().toISOString(),
                updatedAt: '',
              }}
            />
          </div>
          <article>
            <h2 className="post-preview-title">{fields.title}</h2>
            {image && <img className="post-image" src={image} alt="" />}
            {/* Out of the editor, which knows no element and no attribute but those of its toolbar. */}
            <PostContent html={fields.content} />
          </article>
        </div>
      )}
    </details>
  )
}
