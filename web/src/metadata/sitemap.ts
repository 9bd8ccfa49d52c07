import type { RenderInput } from '@proctorpass/shared/ssr'
import { newestChange, postPages } from './dated-pages.ts'
import { escapeMarkup } from './escape.ts'

/** The sitemap protocol's limit. */
const URLS_MAX = 50_000

/** The pages with the newest posts. */
const WITH_POSTS = new Set(['/', '/blogs'])

/** Lists every indexable page, with its last change if it is known. */
export async function sitemap({ publicUrl, fetchApi, texts }: RenderInput): Promise<string> {
  const own = await texts.listed()
  const articles = own.filter(({ path }) => path.startsWith('/blog/'))
  const pages = own.filter(({ path }) => !path.startsWith('/blog/'))
  const posts = await postPages(fetchApi, URLS_MAX - own.length)
  // An article hides a post with the same slug.
  const articlePaths = new Set(articles.map(({ path }) => path))
  const dated = [...articles, ...posts.filter(({ path }) => !articlePaths.has(path))]
  const newest = newestChange(dated)
  const entries = [
    ...pages.map(({ path, updated }) => ({
      path,
      updated: WITH_POSTS.has(path) ? newestChange([{ updated }, { updated: newest ?? null }]) : updated,
    })),
    ...dated,
  ]
  const urls = entries.map(({ path, updated }) => {
    const lastmod = updated ? `<lastmod>${escapeMarkup(updated)}</lastmod>` : ''
    return `  <url><loc>${escapeMarkup(publicUrl + path)}</loc>${lastmod}</url>`
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...urls,
    '</urlset>',
    '',
  ].join('\n')
}
