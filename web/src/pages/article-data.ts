import type { BlogList } from '@proctorpass/shared/schemas/blog'
import { type LoaderArgs, loaderResult, readText } from '../lib/page-loader.ts'
import type { PageHead } from '../metadata/page-head.ts'
import { loadRelatedPosts } from './blog-data.ts'
import { type TextData, textHead } from './text-page.tsx'

export interface ArticleData extends TextData<'article'> {
  slug: string
  related: BlogList | null
}

export function articleLoader(slug: string) {
  return async (args: LoaderArgs) => {
    const [text, related] = await Promise.all([
      readText<'article'>(`article:${slug}`, args),
      loadRelatedPosts(args),
    ])
    return loaderResult({ slug, text, related } satisfies ArticleData)
  }
}

export function articleHead(data: ArticleData): PageHead {
  const text = data.text?.text
  return textHead(
    data,
    text && {
      ...{ image: text.image, imageAlt: text.imageAlt },
      article: {
        headline: text.h1,
        published: text.published,
        modified: text.updated,
        author: text.author,
      },
      trail: [{ name: 'Blog', path: '/blogs' }],
    },
  )
}
