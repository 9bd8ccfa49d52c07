import { paths } from '@proctorpass/shared/paths'
import type { Blog, BlogList } from '@proctorpass/shared/schemas/blog'
import { SIDEBAR_SIZE } from '../content/page-sizes.ts'
import { type LoaderArgs, loaderResult, readApi, readText } from '../lib/page-loader.ts'
import { modifiedAt } from '../lib/post-dates.ts'
import type { PageHead } from '../metadata/page-head.ts'
import type { TextData } from './text-page.tsx'

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

/** Loads the newest posts, which are shown beside an article. */
export function loadRelatedPosts(args: LoaderArgs): Promise<BlogList | null> {
  return readApi<BlogList>(`${paths.blogs}?page=1&perPage=${SIDEBAR_SIZE}`, args)
}
