import { join } from 'node:path'
import type { BuildEnvironmentOptions } from 'vite'

/** The script of other websites' pages: one classic script. */
export const LOADER_BUILD: BuildEnvironmentOptions = {
  target: 'es2020',
  copyPublicDir: false,
  rolldownOptions: {
    input: join(import.meta.dirname, '../src/embed/loader/loader.ts'),
    output: { format: 'iife', entryFileNames: 'loader.js' },
  },
}
