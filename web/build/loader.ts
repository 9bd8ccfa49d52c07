import { join } from 'node:path'
import type { BuildEnvironmentOptions } from 'vite'

/**
 * Names that only the loader's own objects have. The browser's objects, the page's calls, and the messages do not use
 * them.
 */
const SHORTENED = [
  'setOpen',
  'isOpen',
  'setShown',
  'setPage',
  'setLocale',
  'giveFocusBack',
  'makePanel',
  'isAlive',
  'connected',
  'silence',
  'hold',
  'fit',
  'place',
  'attach',
  'fail',
  'moved',
  'erased',
  'hello',
  'element',
  'run',
  'event',
  'listener',
  'launcher',
  'panel',
  'emit',
  'failed',
  'isLocked',
]

/** Builds one classic script for other websites' pages. */
export const LOADER_BUILD: BuildEnvironmentOptions = {
  // Browsers with constructed style sheets understand even newer JavaScript.
  target: 'es2022',
  copyPublicDir: false,
  // At 4 KB, a slower minifier is worth it. It also shortens the names of our own objects' methods.
  minify: 'terser',
  terserOptions: {
    ecma: 2020,
    compress: { passes: 3 },
    mangle: { properties: { regex: new RegExp(`^(${SHORTENED.join('|')})$`), keep_quoted: true } },
  },
  rolldownOptions: {
    input: join(import.meta.dirname, '../src/embed/loader/loader.ts'),
    output: { format: 'iife', entryFileNames: 'loader.js' },
  },
}
