import { findPackageJSON } from 'node:module'
import { dirname } from 'node:path'

/** The folder of this workspace, for its sources and for its bundle alike. */
export const API_DIR = dirname(findPackageJSON(import.meta.url) ?? '')
