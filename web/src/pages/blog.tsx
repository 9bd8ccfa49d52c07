import type { Blog } from '@proctorpass/shared/schemas/blog'
import type { ComponentType } from 'react'
import { Link, useLoaderData } from 'react-router'
import { LoadError } from '../components/load-error.tsx'
import { PostFacts } from '../components/post-card.tsx'
import { PostContent } from '../components/post-content.tsx'
import { RelatedPosts } from '../components/related-posts.tsx'
import { uploadSources } from '../components/upload-image.ts'
import type { BlogData } from './blog-data.ts'
import { useLastLoaded } from './use-last-loaded.ts'

/** `Note` says something about the post above it. */
export function BlogPage({ Note }: { Note?: ComponentType<{ post: Blog }> }) {
  const data = useLoaderData<BlogData>()
  const post = useLastLoaded(data.post, data.slug)
  const related = useLastLoaded(data.related, 'related')
  const text = useLastLoaded(data.text, 'text')?.text
  return (
    <div className="article-page">
      <article className="sheet post">
        {post ? (
          <>
            <p className="post-date in-margin">
              <PostFacts post={post} author={post.author} />
            </p>
            {Note && <Note post={post} />}
            <h1>{post.title}</h1>
            {post.img !== '' && (
              <img
                className="post-image"
                src={post.img}
                {...uploadSources(post.img, 'min(100vw, 40em)')}
                alt={post.imgAlt ?? ''}
                width={1200}
                height={630}
                fetchPriority="high"
              />
            )}
            <PostContent html={post.content} />
            {text && (
              <p className="post-end" data-text="end">
                {text.end}{' '}
                <Link to="/contact" data-text="endLink">
                  {text.endLink}
                </Link>
                .
              </p>
            )}
          </>
        ) : (
          <>
            <h1>Blog</h1>
            <LoadError what="blog" />
          </>
        )}
      </article>
      <RelatedPosts list={related} except={data.slug} />
    </div>
  )
}
