import type { TextFields } from './fields/page-texts.ts'
import type { TextKey } from './text-keys.ts'

/** The texts that this release ships, in English. HTML is that of posts, so sanitizing changes nothing in it. */
export interface ShippedTexts {
  /** The keys of all shipped texts. Those of questions are in the order of the FAQ. */
  keys: readonly TextKey[]
  fields(key: string): TextFields | undefined
  faq: ShippedFaq
}

/** The shipped FAQ, in order. A question's `_id` is its anchor on the page. */
export interface ShippedFaq {
  groups: readonly { id: string; title: string }[]
  items: readonly { _id: string; group: string; question: string; answer: string }[]
}
