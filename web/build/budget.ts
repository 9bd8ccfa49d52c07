import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import type { Manifest, Plugin } from 'vite'
import { WORKER_SOURCE } from './service-worker.ts'

const KB = 1024
const ENTRY = 'index.html'
const HOME = 'src/pages/home.tsx'
const ARTICLE = 'src/pages/article.tsx'
const DASHBOARD = 'src/pages/admin-area.tsx'
/**
 * The limit for the loader as it is built. The server adds a site's look, about 0.08 KB without a label, and the sum
 * stays below 4 KB.
 */
const LOADER_LIMIT = 3.88 * KB
const LAUNCHER = 'src/chat/widget/launcher.tsx'
/** This loads if the chat opens by itself. */
const CARD = 'src/chat/widget/card.tsx'
/** This loads after the card if the settings have cards. */
const CARDS = 'src/chat/widget/cards/follow-cards.ts'
/** This loads once the menu is opened, a message is stored, or the settings or an admin ask for something. */
const CHAT_LATER = 'src/chat/widget/later.ts'
/** This loads with the first message, and on each later page. */
const TRAIL = 'src/chat/widget/profile/trail.ts'
/** The search loads while a visitor types. */
const SUGGESTIONS = 'src/chat/widget/suggest/suggestions.tsx'
/** These load with the first file that is chosen or shown. */
const FILES = ['src/chat/view/attachments/attach-button.tsx', 'src/chat/view/attachments/loaded.ts']
/** This loads with the first message of an admin that may be formatted. */
const FORMATTING = 'src/chat/view/formatted-text.tsx'
/** This loads if the settings show the team. */
const TEAM = 'src/chat/widget/team.tsx'
/** These load on first use, and do not count as part of the chat. */
const LATER = [
  'src/components/toaster.tsx',
  'src/embed/claim.ts',
  'src/chat/alerts/tab-title.ts',
  CARD,
  CARDS,
  CHAT_LATER,
  TRAIL,
  SUGGESTIONS,
  FORMATTING,
  TEAM,
  ...FILES,
]

interface Line {
  what: string
  files: string[]
  limit: number
}

/** The browser needs only the schemas' types. Importing a value from a schema's file would load TypeBox. */
const TYPEBOX = /[\\/]node_modules[\\/]typebox[\\/]/
const SCHEMAS = /[\\/]shared[\\/]src[\\/]schemas[\\/]/

/**
 * Fails the build if a page, the dashboard, the chat, or the frame exceeds its size limit, or if a chunk contains
 * TypeBox. The sizes are read after `precompress`.
 *
 * @see docs/decisions/0010-pages-in-memory.md
 */
export function budget(): Plugin {
  return {
    name: 'budget',
    apply: 'build',
    applyToEnvironment: ({ name }) => ['client', 'frame'].includes(name),
    generateBundle(_options, bundle) {
      const chunk = Object.values(bundle).find(
        (output) => output.type === 'chunk' && output.moduleIds.some((id) => TYPEBOX.test(id)),
      )
      if (!chunk) return
      const importers = [...this.getModuleIds()]
        .filter((id) => SCHEMAS.test(id))
        .flatMap((id) => this.getModuleInfo(id)?.importers ?? [])
        .filter((id) => !SCHEMAS.test(id))
      this.error(`${chunk.fileName} contains TypeBox. Import only types in ${importers.join(', ')}.`)
    },
    writeBundle() {
      const { name, config } = this.environment
      const outDir = join(config.root, config.build.outDir)
      const manifest: Manifest = JSON.parse(readFileSync(join(outDir, '.vite/manifest.json'), 'utf8'))
      const lines = name === 'frame' ? frameLines(manifest) : pageLines(manifest)
      const weighed = lines.map((line) => ({ ...line, bytes: weigh(outDir, line.files) }))
      const table = weighed.map(
        ({ what, bytes, limit }) =>
          `  ${what.padEnd(44)} ${kilobytes(bytes)} of ${kilobytes(limit)}${bytes > limit ? '  TOO MUCH' : ''}`,
      )
      const report = `Brotli sizes:\n${table.join('\n')}`
      if (weighed.some(({ bytes, limit }) => bytes > limit)) this.error(`The budget is exceeded. ${report}`)
      this.info(report)
    },
  }
}

/** Fails the build if the script for other websites' pages exceeds its limit. */
export function loaderBudget(): Plugin {
  return {
    name: 'loader-budget',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'loader',
    generateBundle(_options, bundle) {
      const [loader] = Object.values(bundle)
      if (loader?.type !== 'chunk') throw new Error('The loader must be one script.')
      const bytes = brotliCompressSync(loader.code).length
      const report = `A site's loader: ${kilobytes(bytes)} of ${kilobytes(LOADER_LIMIT)}`
      if (bytes > LOADER_LIMIT) this.error(`The budget is exceeded. ${report}`)
      this.info(report)
    },
  }
}

function kilobytes(bytes: number): string {
  return `${(bytes / KB).toFixed(2).padStart(6)} KB`
}

/** Returns the bytes on the wire. A file that has a Brotli version counts with that version's size. */
function weigh(outDir: string, files: string[]): number {
  const sizes = files.map((name) => {
    const file = join(outDir, name)
    return statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}

function pageLines(manifest: Manifest): Line[] {
  const entry = withStaticImports(manifest, [ENTRY])
  // The launcher is loaded separately.
  const home = filesOf(manifest, withStaticImports(manifest, [ENTRY, HOME, LAUNCHER]))
  const article = filesOf(manifest, withStaticImports(manifest, [ENTRY, ARTICLE, LAUNCHER]))
  const dashboard = filesOf(manifest, withStaticImports(manifest, [ENTRY, DASHBOARD]))
  const launcher = without(withStaticImports(manifest, [LAUNCHER]), entry)
  const loaded = new Set([...entry, ...launcher])
  const chat = without(withAllImports(manifest, [...launcher], entry), loaded)
  const card = without(withStaticImports(manifest, [CARD]), loaded)
  const cards = without(withStaticImports(manifest, [CARDS]), new Set([...loaded, ...card]))
  const later = without(withStaticImports(manifest, [CHAT_LATER]), new Set([...loaded, ...chat, ...card]))
  const trail = without(
    withStaticImports(manifest, [TRAIL]),
    new Set([...loaded, ...chat, ...card, ...later]),
  )
  const suggestions = without(
    withStaticImports(manifest, [SUGGESTIONS]),
    new Set([...loaded, ...chat, ...card, ...later]),
  )
  const files = without(withStaticImports(manifest, FILES), new Set([...loaded, ...chat]))
  const formatting = without(withStaticImports(manifest, [FORMATTING]), new Set([...loaded, ...chat]))
  const team = without(withStaticImports(manifest, [TEAM]), new Set([...loaded, ...chat]))
  return [
    { what: "The home page's JavaScript, chat closed", files: only(home, '.js'), limit: 99 * KB },
    { what: "The home page's CSS", files: only(home, '.css'), limit: 20 * KB },
    { what: "An article's JavaScript, chat closed", files: only(article, '.js'), limit: 99 * KB },
    { what: "An article's CSS", files: only(article, '.css'), limit: 20 * KB },
    { what: "The dashboard's JavaScript", files: only(dashboard, '.js'), limit: 154 * KB },
    { what: "The dashboard's CSS", files: only(dashboard, '.css'), limit: 20 * KB },
    { what: 'The service worker', files: filesOf(manifest, new Set([WORKER_SOURCE])), limit: 2 * KB },
    { what: 'The launcher on top', files: filesOf(manifest, launcher), limit: 3 * KB },
    { what: 'The card that opens by itself', files: filesOf(manifest, card), limit: 3 * KB },
    { what: 'When cards are shown', files: filesOf(manifest, cards), limit: 1.5 * KB },
    { what: 'The chat, once needed', files: filesOf(manifest, chat), limit: 40.5 * KB },
    { what: "The chat's menu, forms, and rating", files: filesOf(manifest, later), limit: 8 * KB },
    { what: 'The pages that a visitor sees', files: filesOf(manifest, trail), limit: 1 * KB },
    { what: 'Suggestions while typing', files: filesOf(manifest, suggestions), limit: 8 * KB },
    { what: 'Formatted messages', files: filesOf(manifest, formatting), limit: 3 * KB },
    { what: 'The team in the head', files: filesOf(manifest, team), limit: 1 * KB },
    { what: 'Message files', files: filesOf(manifest, files), limit: 10 * KB },
  ]
}

function frameLines(manifest: Manifest): Line[] {
  const entries = Object.keys(manifest).filter((key) => manifest[key]?.name === 'frame')
  if (entries.length !== 1) throw new Error("A site's frame must have exactly one script with its name.")
  const frame = filesOf(manifest, withAllImports(manifest, entries, new Set()))
  return [{ what: "A site's frame, once opened", files: frame, limit: 104 * KB }]
}

function only(files: string[], ending: string): string[] {
  return files.filter((file) => file.endsWith(ending))
}

function without(keys: Set<string>, others: Set<string>): Set<string> {
  return new Set([...keys].filter((key) => !others.has(key)))
}

function withStaticImports(manifest: Manifest, entries: string[]): Set<string> {
  return closure(entries, (key) => manifest[key]?.imports ?? [])
}

/** Follows static and dynamic imports. It leaves out the chunks in `loaded`, because the page has them already. */
function withAllImports(manifest: Manifest, entries: string[], loaded: Set<string>): Set<string> {
  return closure(entries, (key) =>
    [...(manifest[key]?.imports ?? []), ...(manifest[key]?.dynamicImports ?? [])].filter(
      (imported) => !LATER.includes(imported) && !loaded.has(imported),
    ),
  )
}

function closure(entries: string[], next: (key: string) => string[]): Set<string> {
  const found = new Set<string>()
  const visit = (key: string) => {
    if (found.has(key)) return
    found.add(key)
    next(key).forEach(visit)
  }
  entries.forEach(visit)
  return found
}

function filesOf(manifest: Manifest, keys: ReadonlySet<string>): string[] {
  const files = new Set<string>()
  for (const key of keys) {
    const chunk = manifest[key]
    if (!chunk) throw new Error(`The Vite manifest has no ${key}: update its name in web/build/budget.ts.`)
    for (const file of [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])]) files.add(file)
  }
  return [...files]
}
