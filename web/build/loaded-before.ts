import type { ModulePreloadOptions } from 'vite'

/** The entry's files, which every page has before it imports anything. */
const ENTRY = /\/(react|site|rolldown-runtime)-[^/]+\.js$/
/** Files that import these statically are loaded only after them. */
const CHAT = /\/(chat|launcher)-[^/]+$/
const CHAT_HOSTS = /\/(panel|later|suggestions)-[^/]+$/

/** Leaves out of each file's list of preloads what is loaded before the file runs, because the names cost bytes. */
export const resolveDependencies: NonNullable<ModulePreloadOptions['resolveDependencies']> = (
  _file,
  names,
  { hostId, hostType },
) =>
  hostType === 'html'
    ? names
    : names.filter((name) => !ENTRY.test(name) && !(CHAT_HOSTS.test(hostId) && CHAT.test(name)))
