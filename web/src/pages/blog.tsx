import { paths } from '@proctorpass/shared/paths'
import type { Blog, BlogList } from '@proctorpass/shared/schemas/blog'
import type { ComponentType } from 'react'
import { Link, useLoaderData } from 'react-router'
import { LoadError } from '../components/load-error.tsx'
import { PostFacts } from '../components/post-card.tsx'
import { PostContent } from '../components/post-content.tsx'
import { loadRelatedPosts, RelatedPosts } from '../components/related-posts.tsx'
import { uploadSources } from '../components/upload-image.ts'
import { blogsCopy } from '../content/pages.ts'
import { type LoaderArgs, loaderResult, readApi } from '../lib/page-loader.ts'
import { modifiedAt } from '../lib/post-dates.ts'
import type { PageHead } from '../metadata/page-head.ts'
import { useLastLoaded } from './use-last-loaded.ts'

export interface BlogData {
  slug: string
  post: Blog | null
  related: BlogList | null
}

export async function loadBlog(args: LoaderArgs) {
  const slug = args.params.slug ?? ''
  const [post, related] = await Promise.all([readApi<Blog>(paths.blog(slug), args), loadRelatedPosts(args)])
  return loaderResult({ slug, post, related } satisfies BlogData)
}

export function blogHead({ post }: BlogData): PageHead {
  if (!post) return { title: 'Blog · {brand}', noindex: true }
  return {
    title: post.title,
    description: post.summary,
    image: post.img,
    imageAlt: post.imgAlt ?? undefined,
    article: {
      ...{ headline: post.title, published: post.publishAt ?? '', modified: modifiedAt(post) },
      ...(post.author !== null && { person: post.author }),
    },
    trail: [{ name: 'Blog', path: '/blogs' }],
  }
}

/** `Note` says something about the post above it. */
export function BlogPage({ Note }: { Note?: ComponentType<{ post: Blog }> }) {
  const data = useLoaderData<BlogData>()
  const post = useLastLoaded(data.post, data.slug)
  const related = useLastLoaded(data.related, 'related')
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
            <p className="post-end">
              {blogsCopy.end} <Link to="/contact">{blogsCopy.endLink}</Link>.
            </p>
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
