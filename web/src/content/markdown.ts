/** What an article says about itself; its front matter. */
export interface ArticleMeta {
  /** For the browser's tab and search engines; the page itself shows `h1`. */
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
  /** Its second-level headings, in order. */
  headings: Heading[]
  html: string
}

/** Part of `x.md?questions`. */
export interface QuestionGroup {
  title: string
  id: string
  questions: { question: string; id: string; html: string }[]
}
