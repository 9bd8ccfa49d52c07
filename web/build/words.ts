import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const MODULE = 'virtual:words/'
/** The button is on each page. It does not load these texts, which the panel and the card show. */
const APART = ['launcher.unread', 'launcher.quickReplies', 'launcher.dismiss']
const FILE = join(import.meta.dirname, '../../shared/languages/en.json')

/**
 * Makes each part of the English words a module, `virtual:words/view`, so that its texts are in the chunk that shows
 * them. A key, as in `virtual:words/panel.online`, makes one text a module.
 */
export function words(): Plugin {
  return {
    name: 'words',
    resolveId: { filter: { id: /^virtual:words\// }, handler: (id) => `\0${id}` },
    load: {
      filter: { id: new RegExp(`^\0${MODULE}`) },
      handler(id) {
        this.addWatchFile(FILE)
        const name = id.slice(MODULE.length + 1)
        const texts: Record<string, unknown> = JSON.parse(readFileSync(FILE, 'utf8'))
        const part = Object.entries(texts)
          .filter(([key]) => key.startsWith(`${name}.`) && !APART.includes(key))
          .map(([key, text]) => [key.slice(name.length + 1), text])
        const exported = texts[name] ?? (part.length > 0 ? Object.fromEntries(part) : undefined)
        if (exported === undefined) return this.error(`The English words have no part or key ${name}.`)
        return `export default ${JSON.stringify(exported)}`
      },
    },
  }
}
