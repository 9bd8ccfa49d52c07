import type { Article } from './markdown.ts'

interface WrittenArticle {
  /** The text for links to the article. */
  heading: string
  read: () => Promise<Article>
}

const headings = import.meta.glob<string>('./articles/*.md', {
  query: '?heading',
  import: 'default',
  eager: true,
})
const texts = import.meta.glob<Article>('./articles/*.md', { query: '?article', import: 'default' })

/** The articles that ship with the site, by slug. Each text is a separate chunk. */
export const articles: ReadonlyMap<string, WrittenArticle> = new Map(
  Object.entries(texts).map(([file, read]) => [
    file.replace(/^.*\/|\.md$/g, ''),
    { heading: headings[file] ?? '', read: once(read) },
  ]),
)

/** Caches the import, because even a loaded module costs a lookup. It retries after a failure. */
function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  return () => {
    reading ??= read().catch((error) => {
      reading = undefined
      throw error
    })
    return reading
  }
}

/** Returns the start of a day (`2026-11-20`) in UTC, as ISO 8601. */
export function dayStart(day: string): string {
  return `${day}T00:00:00.000Z`
}
