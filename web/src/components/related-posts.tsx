import type { BlogList } from '@proctorpass/shared/schemas/blog'
import { LoadError } from './load-error.tsx'
import { PostCard } from './post-card.tsx'

interface RelatedPostsProps {
  /** Null if it could not be loaded. */
  list: BlogList | null
  /** The slug of the current post. */
  except?: string
  /** The language of the page's own words, if the page has another one. */
  lang?: string | undefined
}

export function RelatedPosts({ list, except, lang }: RelatedPostsProps) {
  const posts = list?.blogs.filter(({ slug }) => slug !== except) ?? []
  if (list && posts.length === 0) return null
  return (
    <aside className="sheet related" lang={lang} aria-labelledby="related-content">
      <h2 id="related-content">Related content</h2>
      {list ? (
        <ul className="wide related-list">
          {posts.map((post) => (
            <li key={post.slug}>
              <PostCard post={post} heading="h3" sizes="6em" />
            </li>
          ))}
        </ul>
      ) : (
        <LoadError what="blog" />
      )}
    </aside>
  )
}
