import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'

/** The folder of this workspace, for its sources and for its bundle alike. */
export const API_DIR = dirname(findPackageJSON(import.meta.url) ?? '')

/** The product's version, such as `1.0.0`, from the package.json above, which `npm version` changes. */
export const VERSION: string = JSON.parse(readFileSync(join(API_DIR, '../package.json'), 'utf8')).version

/** Whether this is a release file, which has bundles only, rather than a checkout. */
const IS_RELEASE = !existsSync(join(API_DIR, 'src'))

/** Returns what an operator types here to run a command. `args` follows the command's name. */
export function commandLine(command: string, args = ''): string {
  if (IS_RELEASE) return ['./proctorpass', command, args].join(' ').trim()
  return `npm run ${command}${args === '' ? '' : ` -- ${args}`}`
}

/** Returns the file of a program that runs in its own thread or process. `source` is a path below `src`. */
export function programFile(source: string): string {
  return IS_RELEASE
    ? join(API_DIR, 'dist/programs', `${basename(source, extname(source))}.js`)
    : join(API_DIR, 'src', source)
}
