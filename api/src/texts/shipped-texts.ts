import type { TextFields } from '@proctorpass/shared/fields/page-texts'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import { articleKey, questionKey, type TextKey } from '@proctorpass/shared/text-keys'
import { compiledTexts } from './compiled-texts.ts'

let shipped: ShippedTexts | undefined

/** Reads the texts once, with the first call. They have `{brand}` and `{supportEmail}` in them. */
export function loadShippedTexts(): ShippedTexts {
  shipped ??= read()
  return shipped
}

function read(): ShippedTexts {
  const { pages, articles, questions } = compiledTexts()
  const fields = new Map<string, TextFields>([
    ...Object.entries(pages),
    ...Object.entries(articles).map(([slug, { fields }]) => [articleKey(slug), fields] as const),
    ...questions.map(({ _id, question, answer }) => [questionKey(_id), { question, answer }] as const),
  ])
  return {
    keys: [...fields.keys()] as TextKey[],
    fields: (key) => fields.get(key),
    faq: { groups: pages.faq.groups, items: questions },
    article: (slug) => (Object.hasOwn(articles, slug) ? articles[slug] : undefined),
  }
}
