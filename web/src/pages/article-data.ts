import type { BlogList } from '@proctorpass/shared/schemas/blog'
import { loadRelatedPosts } from '../components/related-posts.tsx'
import { articles, dayStart } from '../content/articles.ts'
import type { Article } from '../content/markdown.ts'
import { type LoaderArgs, loaderResult, notFoundResponse } from '../lib/page-loader.ts'
import type { PageHead } from '../metadata/page-head.ts'

export interface ArticleData {
  slug: string
  article: Article
  related: BlogList | null
}

export function articleLoader(slug: string) {
  return async (args: LoaderArgs) => {
    const [article, related] = await Promise.all([articles.get(slug)?.read(), loadRelatedPosts(args)])
    if (!article) throw notFoundResponse()
    return loaderResult({ slug, article, related } satisfies ArticleData)
  }
}

export function articleHead({ article: { meta } }: ArticleData): PageHead {
  return {
    title: meta.title,
    description: meta.description,
    image: meta.image,
    imageAlt: meta.imageAlt,
    article: {
      headline: meta.h1,
      published: dayStart(meta.published),
      modified: dayStart(meta.updated),
      author: meta.author,
    },
    trail: [{ name: 'Blog', path: '/blogs' }],
  }
}

/**
 * Returns a loader's data for the page state, without an article's text, because the page contains the text already.
 */
export function withoutText(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('article' in data)) return data
  return { ...data, article: { ...(data as ArticleData).article, html: '' } }
}
