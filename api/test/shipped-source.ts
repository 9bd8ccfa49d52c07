import { AppError } from '@proctorpass/shared/errors'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import type { PageTextDeps } from '../src/texts/page-texts.ts'

/** Answers the shipped texts, without a store. */
export function shippedSource({ fields, faq }: ShippedTexts): PageTextDeps['texts'] {
  const standing = {
    lang: 'en',
    state: 'shipped',
    shippedChanged: false,
    version: 0,
    updatedAt: null,
  } as const
  return {
    async one(key) {
      const found = fields(key)
      if (!found) throw new AppError('not-found', 'Text not found.')
      return { key, ...standing, fields: found }
    },
    faq: async () => ({
      items: faq.items.map((item, order) => ({ ...item, lang: 'en', order, state: 'shipped', version: 0 })),
      groups: [...faq.groups],
      version: 0,
    }),
    written: async () => [],
  }
}

/** Arabic is written from right to left, and no page has words in other languages than English. */
export const NO_WORDS: PageTextDeps['languages'] = {
  textsFor: async (tag) => ({ dir: tag === 'ar' ? 'rtl' : 'ltr', texts: {} }),
  shown: async () => ({}),
}
