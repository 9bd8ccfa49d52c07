import type { TextFields, TextFieldsByKind } from './fields/page-texts.ts'
import type { PageKey, TextKey } from './text-keys.ts'

/** The texts that this release ships, in English. HTML is that of posts, so sanitizing changes nothing in it. */
export interface ShippedTexts {
  /** The keys of all shipped texts. Those of questions are in the order of the FAQ. */
  keys: readonly TextKey[]
  fields(key: string): TextFields | undefined
  faq: ShippedFaq
  /** Returns what an article has besides its text, by its slug. */
  article(slug: string): ShippedArticle | undefined
}

/** The shipped FAQ, in order. A question's `_id` is its anchor on the page. */
export interface ShippedFaq {
  groups: readonly { id: string; title: string }[]
  items: readonly ShippedQuestion[]
}

export interface ShippedQuestion {
  _id: string
  group: string
  question: string
  answer: string
}

export interface ShippedArticle {
  /** Days, such as `2026-11-20`. */
  published: string
  updated: string
  /** A folded word's beginning. The chat suggests the article only to visitors who write such a word. */
  onlyFor?: string
}

/** What `web/build/compile-texts.ts` makes of the texts in `shared/texts`. */
export interface CompiledTexts {
  pages: Pick<TextFieldsByKind, PageKey>
  /** By slug. */
  articles: Record<string, ShippedArticle & { fields: TextFieldsByKind['article'] }>
  questions: ShippedQuestion[]
}
