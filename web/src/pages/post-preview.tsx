import { previewPath } from '@proctorpass/shared/preview-path'
import type { Blog } from '@proctorpass/shared/schemas/blog'
import { Link } from 'react-router'
import { PostDate } from '../components/post-card.tsx'
import { type LoaderArgs, loaderResult } from '../lib/page-loader.ts'
import type { PageHead } from '../metadata/page-head.ts'
import { BlogPage } from './blog.tsx'
import { type BlogData, loadPost } from './blog-data.ts'

export async function loadPreview(args: LoaderArgs) {
  const token = args.params.token ?? ''
  return loaderResult({ slug: token, ...(await loadPost(previewPath(token), args)) } satisfies BlogData)
}

export function previewHead({ post }: BlogData): PageHead {
  return { title: post ? `Preview: ${post.title}` : 'Preview · {brand}', noindex: true }
}

/** Shows a post to those who have its preview link, as everyone will see it. */
export function PostPreviewPage() {
  return <BlogPage Note={PreviewNote} />
}

function PreviewNote({ post: { state, slug, publishAt } }: { post: Blog }) {
  return (
    <p className="preview-note" role="note">
      {state === 'draft' && 'This is a preview of a draft. Only people with this link can read it.'}
      {state === 'scheduled' && publishAt !== null && (
        <>
          This is a preview. Everyone can read this post from <PostDate iso={publishAt} />.
        </>
      )}
      {state === 'published' && (
        <>
          This post is published. Share <Link to={`/blog/${slug}`}>its own page</Link> instead.
        </>
      )}
    </p>
  )
}
