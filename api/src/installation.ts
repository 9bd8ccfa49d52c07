import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

/** The folder of this workspace, for its sources and for its bundle alike. */
export const API_DIR = dirname(findPackageJSON(import.meta.url) ?? '')

/** The version of the product, such as `1.0.0`: of the checkout's package.json, which `npm version` changes. */
export const VERSION: string = JSON.parse(readFileSync(join(API_DIR, '../package.json'), 'utf8')).version
