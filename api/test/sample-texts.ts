import type { Plugin } from 'vite'
import { createPageTexts } from '../src/texts/page-texts.ts'
import { loadShippedTexts } from '../src/texts/shipped-texts.ts'
import { createSuggestedPages } from '../src/texts/suggested-pages.ts'
import { NO_WORDS, shippedSource } from './shipped-source.ts'

const NAME = 'virtual:sample-texts'

/** Gives the tests of pages what the server answers about the shipped texts, with `{brand}` in them. */
export function sampleTexts(): Plugin {
  return {
    name: 'sample-texts',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
    async load(id) {
      if (id !== `\0${NAME}`) return undefined
      const shipped = loadShippedTexts()
      const pageTexts = createPageTexts({
        ...{ shipped, texts: shippedSource(shipped), languages: NO_WORDS },
        ...{ brand: '{brand}', supportEmail: 'support@proctorpass.example' },
        languagesOn: async () => ['en'],
      })
      const { page, listed } = pageTexts
      const blogs = { list: async () => ({ blogs: [], count: 0 }) }
      const { pages: suggested } = await createSuggestedPages({ shipped, pageTexts, blogs })()
      const keys = shipped.keys.filter((key) => !key.startsWith('faq:'))
      const pages = await Promise.all(keys.map(async (key) => [key, await page({ key, lang: 'en' })]))
      const texts = { pages: Object.fromEntries(pages), suggested, listed: await listed() }
      return `export default ${JSON.stringify(texts)}`
    },
  }
}
