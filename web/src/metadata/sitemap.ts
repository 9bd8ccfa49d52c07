import type { RenderInput } from '@proctorpass/shared/ssr'
import { articlePages, newestChange, postPages } from './dated-pages.ts'
import { escapeMarkup } from './escape.ts'

/** The sitemap protocol's limit. */
const URLS_MAX = 50_000

const UNDATED = ['/reviews', '/contact', '/faq', '/privacy', '/terms']

/** Lists every indexable page, with its last change if it is known. */
export async function sitemap({ publicUrl, fetchApi }: RenderInput): Promise<string> {
  const articles = await articlePages()
  const posts = await postPages(fetchApi, URLS_MAX - articles.length - UNDATED.length - 2)
  // An article hides a post with the same slug.
  const articlePaths = new Set(articles.map(({ path }) => path))
  const dated = [...articles, ...posts.filter(({ path }) => !articlePaths.has(path))]
  const newest = newestChange(dated)
  const entries = [
    ...['/', '/blogs'].map((path) => ({ path, updated: newest })),
    ...UNDATED.map((path) => ({ path, updated: undefined })),
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
