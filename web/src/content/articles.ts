import type { Article } from './markdown.ts'

interface WrittenArticle {
  /** What links to it are called. */
  heading: string
  read: () => Promise<Article>
}

const headings = import.meta.glob<string>('./articles/*.md', {
  query: '?heading',
  import: 'default',
  eager: true,
})
const texts = import.meta.glob<Article>('./articles/*.md', { query: '?article', import: 'default' })

/** The articles that come with the site, by slug: a Markdown file each, its text in a chunk of its own. */
export const articles: ReadonlyMap<string, WrittenArticle> = new Map(
  Object.entries(texts).map(([file, read]) => [
    file.replace(/^.*\/|\.md$/g, ''),
    { heading: headings[file] ?? '', read: once(read) },
  ]),
)

/** A chunk is asked for again only when it could not be had: even a module that is there is not found for nothing. */
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
