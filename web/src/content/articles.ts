import type { Article } from './markdown.ts'

/** The articles that come with the site, by slug: a Markdown file each, in a chunk of its own. */
export const articles: ReadonlyMap<string, () => Promise<Article>> = new Map(
  Object.entries(import.meta.glob<Article>('./articles/*.md', { query: '?article', import: 'default' })).map(
    ([file, read]) => [file.replace(/^.*\/|\.md$/g, ''), read],
  ),
)
