import questions from '../../../content/faq.md?terms'
import type { SuggestedPage } from './find-pages.ts'

const articles = import.meta.glob<Omit<SuggestedPage, 'path'>>('../../../content/articles/*.md', {
  query: '?article-terms',
  import: 'default',
  eager: true,
})

/** What the build knows about the FAQ and the articles. */
export const sitePages: SuggestedPage[] = [
  ...questions.map(({ id, ...page }) => ({ path: `/faq#${id}`, ...page })),
  ...Object.entries(articles).map(([file, page]) => ({
    path: `/blog/${file.replace(/^.*\/|\.md$/g, '')}`,
    ...page,
  })),
]
