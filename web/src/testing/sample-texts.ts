import texts from 'virtual:sample-texts'
import type { RenderInput } from '@proctorpass/shared/ssr'
import { testConfig } from './page-state.ts'

/** The shipped texts, for the input of `render`. */
export function sampleTexts(brand = testConfig.brand): RenderInput['texts'] {
  const named = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll('{brand}', () => JSON.stringify(brand).slice(1, -1)))
  return {
    page: async (key) => {
      const page = texts.pages[key]
      return page ? named(page) : null
    },
    listed: async () => named(texts.listed),
  }
}
