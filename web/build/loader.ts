import { join } from 'node:path'
import type { BuildEnvironmentOptions } from 'vite'

/** Names that only the loader's own objects have: none is one of a browser's objects, of the page's calls, or of a message. */
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

/** The script of other websites' pages: one classic script. */
export const LOADER_BUILD: BuildEnvironmentOptions = {
  // Browsers with constructed style sheets know more than this.
  target: 'es2022',
  copyPublicDir: false,
  // Its 4 KB are worth a slower minifier, which also shortens the names of our own objects' methods.
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
