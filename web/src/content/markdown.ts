/** The front matter of an article. */
export interface ArticleMeta {
  /** For the tab and search engines; the page shows `h1`. */
  title: string
  description: string
  h1: string
  /** Days: `2026-11-20`. */
  published: string
  updated: string
  author: string
  /** Name of a drawing in `public/images/posts`. */
  image: string
  imageAlt: string
  summary: string
}

export interface Heading {
  id: string
  text: string
}

/** `x.md?article`, as `web/build/markdown.ts` compiles it. */
export interface Article {
  meta: ArticleMeta
  /** The second-level headings. */
  headings: Heading[]
  html: string
}

/** Part of `x.md?questions`. */
export interface QuestionGroup {
  title: string
  id: string
  questions: { question: string; id: string; html: string }[]
}
