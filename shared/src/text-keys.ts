import { ANCHOR_PATTERN, ARTICLE_SLUGS } from './limits.ts'

/** The pages whose words are one text each. */
export const PAGE_KEYS = ['home', 'faq', 'blogs', 'reviews', 'contact', 'privacy', 'terms'] as const
export type PageKey = (typeof PAGE_KEYS)[number]

/** Names a text: a page, an article by its slug, or a question by its ID. */
export type TextKey = PageKey | `article:${string}` | `faq:${string}`

/** The parts of which texts of one kind consist. All articles have the same parts, and so do all questions. */
export type TextKind = PageKey | 'article' | 'question'

const ANCHOR = new RegExp(ANCHOR_PATTERN)

/** Returns a key's kind. Null if no text can have the key; whether a question exists depends on the FAQ. */
export function kindOfKey(key: string): TextKind | null {
  const pages: readonly string[] = PAGE_KEYS
  const articles: readonly string[] = ARTICLE_SLUGS
  if (pages.includes(key)) return key as PageKey
  if (key.startsWith('article:')) return articles.includes(key.slice('article:'.length)) ? 'article' : null
  const id = questionIdIn(key)
  return id !== null && ANCHOR.test(id) ? 'question' : null
}

export const articleKey = (slug: string): TextKey => `article:${slug}`
export const questionKey = (id: string): TextKey => `faq:${id}`

/** Returns a question's ID. Null if the key names another text. */
export function questionIdIn(key: string): string | null {
  return key.startsWith('faq:') ? key.slice('faq:'.length) : null
}
