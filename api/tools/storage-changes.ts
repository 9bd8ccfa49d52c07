import { execFileSync } from 'node:child_process'

/** What the answers of routes on MongoDB depend on, besides the routes, whose tests always run on SQLite. */
const STORAGE = [
  'api/src/storage',
  ':(exclude)api/src/storage/sqlite',
  ':(exclude,glob)**/*.test.ts',
  'api/test/on-mongo',
  'api/test/servers',
  'api/test/mongo-server.ts',
  'api/test/build-app.ts',
  'package-lock.json',
]
const MAIN_BRANCHES = ['origin/main', 'main']
/** Commits of this time before the newest one landed with it: a push brings several. */
const LANDING_SECONDS = 3_600

/**
 * Whether storage differs from where this branch left the main one, also in files that are not committed; on the main
 * branch, from what it was before what landed last: earlier runs have tested that. True when that cannot be known:
 * without git, without a main branch, and where the history is too short.
 */
export function storageMayHaveChanged(folder: string): boolean {
  const git = (...args: string[]): string | null => {
    try {
      const stdio = ['ignore', 'pipe', 'ignore'] as const
      return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: [...stdio] }).trim()
    } catch {
      return null
    }
  }
  const [left] = MAIN_BRANCHES.flatMap((branch) => git('merge-base', 'HEAD', branch) ?? [])
  if (left === undefined) return true
  const isOnMain = left === git('rev-parse', 'HEAD')
  const landed = Number(git('log', '-1', '--format=%ct'))
  const base = isOnMain ? git('rev-list', '-1', `--before=${landed - LANDING_SECONDS}`, 'HEAD') : left
  if (!base) return true
  const changed = git('diff', '--name-only', base, '--', ...STORAGE)
  const added = git('ls-files', '--others', '--exclude-standard', '--', ...STORAGE)
  return changed !== '' || added !== ''
}
