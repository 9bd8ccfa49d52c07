import { PER_PAGE_MAX } from '@proctorpass/shared/limits'
import { paths } from '@proctorpass/shared/paths'
import type { BlogList, BlogSummary } from '@proctorpass/shared/schemas/blog'
import type { RenderInput } from '@proctorpass/shared/ssr'
import { articles, dayStart } from '../content/articles.ts'
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

export function articlePages(): Promise<DatedPage[]> {
  return Promise.all(
    Array.from(articles, async ([slug, { read }]) => {
      const { meta } = await read()
      return {
        path: `/blog/${slug}`,
        title: meta.h1,
        summary: meta.summary,
        published: dayStart(meta.published),
        updated: dayStart(meta.updated),
      }
    }),
  )
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
export function newestChange(pages: readonly DatedPage[]): string | undefined {
  return pages
    .map(({ updated }) => updated)
    .sort()
    .at(-1)
}
