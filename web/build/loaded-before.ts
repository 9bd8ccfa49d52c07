import type { ModulePreloadOptions, Plugin } from 'vite'

/** The entry's files, which every page has before it imports anything. */
const ENTRY = /\/(react|site|rolldown-runtime)-[\w-]{7}\.js$/
/** Files that import these statically are loaded only after them. */
const CHAT = /\/(chat|launcher)-[\w-]{7}\.(js|css)$/
const CHAT_HOSTS = /\/(panel|later|suggestions)-[\w-]{7}\.js$/

/** Leaves out of each file's list of preloads what is loaded before the file runs, because the names cost bytes. */
export const resolveDependencies: NonNullable<ModulePreloadOptions['resolveDependencies']> = (
  _file,
  names,
  { hostId, hostType },
) =>
  hostType === 'html'
    ? names
    : names.filter((name) => !ENTRY.test(name) && !(CHAT_HOSTS.test(hostId) && CHAT.test(name)))

/**
 * Fails the build if a file whose name `resolveDependencies` leaves out is not loaded before, or if the names match no
 * file, because a group of `chunks.ts` was renamed.
 */
export function loadedBefore(): Plugin {
  return {
    name: 'loaded-before',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
      /** Returns which of the names no chunk has that loads with these. */
      const missing = (names: string[], importers: typeof chunks) =>
        importers.flatMap((importer) => {
          const files = new Set([importer.fileName])
          for (const file of files) {
            const chunk = bundle[file]
            if (chunk?.type === 'chunk') for (const imported of chunk.imports) files.add(imported)
          }
          const loaded = [...files].map((file) => bundle[file]?.name)
          return names
            .filter((name) => !loaded.includes(name))
            .map((name) => `${name} in ${importer.fileName}`)
        })
      const entries = chunks.filter(({ isEntry, name }) => isEntry && name === 'index')
      const hosts = chunks.filter(({ fileName }) => CHAT_HOSTS.test(fileName))
      if (entries.length !== 1 || hosts.length < 3) {
        this.error('The build has other chunks than web/build/loaded-before.ts names.')
      }
      const wrong = [
        ...missing(['react', 'site', 'rolldown-runtime'], entries),
        ...missing(['chat', 'launcher'], hosts),
      ]
      if (wrong.length > 0) this.error(`web/build/loaded-before.ts expects ${wrong.join(', ')}.`)
    },
  }
}
