import { PER_PAGE_MAX } from '@proctorpass/shared/limits'
import type { PageText, ShownTexts } from '@proctorpass/shared/page-text'
import { paths } from '@proctorpass/shared/paths'
import type { BlogList, BlogSummary } from '@proctorpass/shared/schemas/blog'
import type { RenderInput } from '@proctorpass/shared/ssr'
import { modifiedAt } from '../lib/post-dates.ts'

/** A post or an article, with its dates. */
export interface DatedPage {
  path: string
  title: string
  summary: string
  /** Dates are ISO 8601. */
  published: string
  updated: string
}

/** Returns the articles in English. */
export async function articlePages({ texts }: Pick<RenderInput, 'texts'>): Promise<DatedPage[]> {
  return (await texts.listed()).flatMap(({ path, updated, article }) =>
    article ? [{ path, ...article, updated: updated ?? article.published }] : [],
  )
}

/** Throws if the text cannot be read, because a document without it would be cached as complete. */
export async function englishText<Key extends keyof ShownTexts>(
  key: Key,
  { texts }: Pick<RenderInput, 'texts'>,
): Promise<ShownTexts[Key]> {
  const page = (await texts.page(key, 'en')) as PageText<ShownTexts[Key]> | null
  if (page === null) throw new Error(`The text of ${key} cannot be read.`)
  return page.text
}

/**
 * Returns the newest posts, at most `max`. Throws if the API fails, because a partial list would be cached as complete.
 */
export async function postPages(fetchApi: RenderInput['fetchApi'], max: number): Promise<DatedPage[]> {
  const posts: DatedPage[] = []
  const perPage = Math.min(max, PER_PAGE_MAX)
  for (let page = 1; posts.length < max; page += 1) {
    const { status, json } = await fetchApi(`${paths.blogs}?page=${page}&perPage=${perPage}`)
    if (status !== 200) throw new Error(`The API answered ${status} for the list of posts.`)
    const { blogs } = (await json()) as BlogList
    posts.push(...blogs.map(toPage))
    if (blogs.length < perPage) break
  }
  return posts.slice(0, max)
}

function toPage(post: BlogSummary): DatedPage {
  const { slug, title, summary } = post
  return {
    path: `/blog/${slug}`,
    title,
    summary,
    published: post.publishAt ?? post.createdAt,
    updated: modifiedAt(post),
  }
}

/** Returns the latest `updated`, or undefined if there are no pages. */
export function newestChange(pages: readonly { updated: string | null }[]): string | undefined {
  return pages
    .flatMap(({ updated }) => updated ?? [])
    .sort()
    .at(-1)
}
