import type { BlogList } from '@proctorpass/shared/schemas/blog'
import { loadRelatedPosts } from '../components/related-posts.tsx'
import { articles } from '../content/articles.ts'
import type { Article } from '../content/markdown.ts'
import { dayStart } from '../documents/day.ts'
import type { PageHead } from '../documents/page-head.ts'
import { type LoadArgs, loaded, notFound } from '../lib/load.ts'

export interface ArticleData {
  slug: string
  article: Article
  related: BlogList | null
}

/** The loader of the article with this slug. */
export function articleLoader(slug: string) {
  return async (args: LoadArgs) => {
    const [article, related] = await Promise.all([articles.get(slug)?.read(), loadRelatedPosts(args)])
    if (!article) throw notFound()
    return loaded({ slug, article, related } satisfies ArticleData)
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

/** What an article's loader gave, for the page's state: the text stands in the page, and is not sent twice. */
export function withoutText(data: unknown): unknown {
  if (typeof data !== 'object' || data === null || !('article' in data)) return data
  return { ...data, article: { ...(data as ArticleData).article, html: '' } }
}
