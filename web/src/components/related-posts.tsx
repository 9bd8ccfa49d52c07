import { paths } from '@proctorpass/shared/paths'
import type { BlogList } from '@proctorpass/shared/schemas/blog'
import { SIDEBAR_SIZE } from '../content/page-sizes.ts'
import { type LoadArgs, load } from '../lib/load.ts'
import { CouldNotLoad } from './could-not-load.tsx'
import { PostCard } from './post-card.tsx'

/** The newest posts, for beside an article. */
export function loadRelatedPosts(args: LoadArgs): Promise<BlogList | null> {
  return load<BlogList>(`${paths.blogs}?page=1&perPage=${SIDEBAR_SIZE}`, args)
}

interface RelatedPostsProps {
  /** Null where they could not be read. */
  list: BlogList | null
  /** The post that the reader is at. */
  except?: string
}

export function RelatedPosts({ list, except }: RelatedPostsProps) {
  const posts = list?.blogs.filter(({ slug }) => slug !== except) ?? []
  if (list && posts.length === 0) return null
  return (
    <aside className="sheet related" aria-labelledby="related-content">
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
        <CouldNotLoad what="blog" />
      )}
    </aside>
  )
}
