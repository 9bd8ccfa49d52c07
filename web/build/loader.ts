import { join } from 'node:path'
import type { BuildEnvironmentOptions } from 'vite'

/** The script of other websites' pages: one classic script. */
export const LOADER_BUILD: BuildEnvironmentOptions = {
  // Browsers with constructed style sheets know more than this.
  target: 'es2022',
  copyPublicDir: false,
  rolldownOptions: {
    input: join(import.meta.dirname, '../src/embed/loader/loader.ts'),
    output: { format: 'iife', entryFileNames: 'loader.js' },
  },
}
