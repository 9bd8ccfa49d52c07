/** An article's front matter. */
export interface ArticleMeta {
  /** The title for the tab and for search engines. The page shows `h1`. */
  title: string
  description: string
  h1: string
  /** Days, such as `2026-11-20`. */
  published: string
  updated: string
  author: string
  /** The name of a drawing in `public/images/posts`. */
  image: string
  imageAlt: string
  summary: string
  /** A folded word's beginning. The chat suggests the article only to visitors who write such a word. */
  onlyFor?: string
}

export interface Heading {
  id: string
  text: string
}

/** What `web/build/markdown.ts` compiles from `x.md?article`. */
export interface Article {
  meta: ArticleMeta
  /** The second-level headings. */
  headings: Heading[]
  html: string
}

/** One group in `x.md?questions`. */
export interface QuestionGroup {
  title: string
  id: string
  questions: { question: string; id: string; html: string }[]
}
