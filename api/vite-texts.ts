import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { compileTexts } from '../web/build/compile-texts.ts'
import { wrongTexts } from './src/texts/wrong-texts.ts'

const SOURCES = join(import.meta.dirname, '../shared/texts')

/** Puts the compiled texts in the place of `src/texts/compiled-texts.ts`. Fails for HTML that posts cannot have. */
export function shippedTexts(): Plugin {
  return {
    name: 'shipped-texts',
    load: {
      filter: { id: /[\\/]src[\\/]texts[\\/]compiled-texts\.ts$/ },
      handler() {
        for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }))
          this.addWatchFile(join(SOURCES, name))
        const texts = compileTexts()
        const wrong = wrongTexts(texts)
        if (wrong.length > 0) this.error(wrong.join('\n'))
        const json = JSON.stringify(JSON.stringify(texts))
        // A string that is parsed on first use takes less time and memory at the start than an object literal.
        return {
          code: `export const compiledTexts = () => JSON.parse(${json})\n`,
          moduleType: 'js',
          map: null,
        }
      },
    },
  }
}
