import type { BlogSummary } from '@proctorpass/shared/schemas/blog'
import { Link } from 'react-router'
import { SUMMARY_PREVIEW } from '../content/page-sizes.ts'
import { preview } from '../lib/preview.ts'
import { uploadSources } from './upload-image.ts'

interface PostCardProps {
  post: BlogSummary
  heading: 'h2' | 'h3'
  /** The image's `sizes`. */
  sizes: string
  /** Whether to load the image at once, for cards on the first screen. */
  eager?: boolean
}

/** Shows a post in a list. Its one link covers the whole card. */
export function PostCard({ post, heading: Heading, sizes, eager = false }: PostCardProps) {
  return (
    <article className="post-card">
      <img
        src={post.img}
        {...uploadSources(post.img, sizes)}
        alt={post.imgAlt ?? ''}
        width={1200}
        height={630}
        loading={eager ? 'eager' : 'lazy'}
      />
      <div>
        <p className="post-date">
          <PostFacts post={post} />
        </p>
        <Heading>{post.title}</Heading>
        <p>{preview(post.summary, SUMMARY_PREVIEW)}</p>
        <Link to={`/blog/${post.slug}`} className="read-more">
          Read more <span className="visually-hidden">about {post.title}</span>
        </Link>
      </div>
    </article>
  )
}

/** Shows a post's date and reading time, and on its own page the author. A draft's preview has no date. */
export function PostFacts({ post, author = null }: { post: BlogSummary; author?: string | null }) {
  return (
    <>
      {post.publishAt && <PostDate iso={post.publishAt} />}
      {author !== null && <span className="post-fact">By {author}</span>}
      <span className="post-fact">{post.readingMinutes} min read</span>
    </>
  )
}

// These replace Intl.DateTimeFormat, whose constructor takes 0.1 s on a slow phone.
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Shows the day in UTC, so that server and browser render the same text. `lang` is `en` on a page in another language. */
export function PostDate({ iso, lang }: { iso: string; lang?: 'en' | undefined }) {
  const date = new Date(iso)
  return (
    <time dateTime={iso} lang={lang}>
      {`${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`}
    </time>
  )
}
