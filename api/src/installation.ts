import { existsSync, readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { basename, dirname, extname, join } from 'node:path'

/** The folder of this workspace, for its sources and for its bundle alike. */
export const API_DIR = dirname(findPackageJSON(import.meta.url) ?? '')

/** The version of the product, such as `1.0.0`: of the package.json above, which `npm version` changes. */
export const VERSION: string = JSON.parse(readFileSync(join(API_DIR, '../package.json'), 'utf8')).version

/** Whether this is a release file, which has bundles only. Else it is a checkout. */
const IS_RELEASE = !existsSync(join(API_DIR, 'src'))

/** How an operator types a command here. `args`: what follows its name. */
export function commandLine(command: string, args = ''): string {
  if (IS_RELEASE) return ['./proctorpass', command, args].join(' ').trim()
  return `npm run ${command}${args === '' ? '' : ` -- ${args}`}`
}

/** The file of a program that runs in a thread or a process of its own. `source`: below `src`. */
export function programFile(source: string): string {
  return IS_RELEASE
    ? join(API_DIR, 'dist/programs', `${basename(source, extname(source))}.js`)
    : join(API_DIR, 'src', source)
}
