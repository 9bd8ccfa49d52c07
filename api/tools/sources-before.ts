import { execFileSync } from 'node:child_process'

const MAIN_BRANCHES = ['origin/main', 'main']
/** Commits of this time before the newest one landed with it: a push brings several. */
const LANDING_SECONDS = 6 * 3_600

/** The sources before the tested change. Earlier runs have tested them. */
interface Before {
  /** The files in these paths that differ, also those that are not committed. */
  changed(paths: readonly string[]): string[]
  /** Null for a file that was not there. */
  text(file: string): string | null
}

/**
 * From where this branch left the main one; on the main branch, from before what landed last. Null when that cannot be
 * known: without git, without a main branch, and where the history is too short.
 */
export function sourcesBefore(folder: string): Before | null {
  const git = (...args: string[]): string | null => {
    try {
      const stdio = ['ignore', 'pipe', 'ignore'] as const
      return execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: [...stdio] }).trim()
    } catch {
      return null
    }
  }
  const [left] = MAIN_BRANCHES.flatMap((branch) => git('merge-base', 'HEAD', branch) ?? [])
  if (left === undefined) return null
  const isOnMain = left === git('rev-parse', 'HEAD')
  const landed = Number(git('log', '-1', '--format=%ct'))
  const base = isOnMain ? git('rev-list', '-1', `--before=${landed - LANDING_SECONDS}`, 'HEAD') : left
  if (!base) return null
  return {
    changed(paths) {
      const changed = git('diff', '--name-only', base, '--', ...paths)
      const added = git('ls-files', '--others', '--exclude-standard', '--', ...paths)
      return [changed, added].flatMap((list) => list?.split('\n') ?? paths).filter((file) => file !== '')
    },
    text: (file) => git('show', `${base}:${file}`),
  }
}

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

/** True when that cannot be known. */
export function storageMayHaveChanged(folder: string): boolean {
  return sourcesBefore(folder)?.changed(STORAGE).length !== 0
}
