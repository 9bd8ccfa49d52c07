import { execFileSync } from 'node:child_process'

/** What the answers of routes on MongoDB depend on, besides the routes, whose tests always run on SQLite. */
const STORAGE = ['api/src/storage', 'api/test', 'package-lock.json']
const MAIN_BRANCHES = ['origin/main', 'main']

/**
 * Whether storage differs from where this branch left the main one, also in files that are not committed. True when that
 * cannot be known: without git, without a main branch, in a shallow checkout, and on the main branch itself.
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
  const bases = MAIN_BRANCHES.flatMap((branch) => git('merge-base', 'HEAD', branch) ?? [])
  const [base] = bases
  if (base === undefined || base === git('rev-parse', 'HEAD')) return true
  const changed = git('diff', '--name-only', base, '--', ...STORAGE)
  const added = git('ls-files', '--others', '--exclude-standard', '--', ...STORAGE)
  return changed !== '' || added !== ''
}
