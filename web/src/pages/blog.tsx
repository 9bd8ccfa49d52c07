import { paths } from '@proctorpass/shared/paths'
import type { Blog, BlogList } from '@proctorpass/shared/schemas/blog'
import type { ComponentType } from 'react'
import { Link, useLoaderData } from 'react-router'
import { LoadError } from '../components/load-error.tsx'
import { PostFacts } from '../components/post-card.tsx'
import { PostContent } from '../components/post-content.tsx'
import { loadRelatedPosts, RelatedPosts } from '../components/related-posts.tsx'
import { uploadSources } from '../components/upload-image.ts'
import { type LoaderArgs, loaderResult, readApi, readText } from '../lib/page-loader.ts'
import { modifiedAt } from '../lib/post-dates.ts'
import type { PageHead } from '../metadata/page-head.ts'
import type { TextData } from './text-page.tsx'
import { useLastLoaded } from './use-last-loaded.ts'

export interface BlogData extends TextData<'blogs'> {
  slug: string
  post: Blog | null
  related: BlogList | null
}

export async function loadBlog(args: LoaderArgs) {
  const slug = args.params.slug ?? ''
  return loaderResult({ slug, ...(await loadPost(paths.blog(slug), args)) } satisfies BlogData)
}

/** Loads what the page of a post or of its preview shows. */
export async function loadPost(path: string, args: LoaderArgs): Promise<Omit<BlogData, 'slug'>> {
  const [post, related, text] = await Promise.all([
    readApi<Blog>(path, args),
    loadRelatedPosts(args),
    readText<'blogs'>('blogs', args),
  ])
  return { post, related, text }
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
