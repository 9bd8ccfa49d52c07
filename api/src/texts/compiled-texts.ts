import { join } from 'node:path'
import type { CompiledTexts } from '@proctorpass/shared/shipped-texts'
import { API_DIR } from '../installation.ts'

/**
 * Compiles the shipped texts from their sources. The build replaces this module with the result (`vite-texts.ts`), so
 * that the built server has neither the sources nor the compiler, which is loaded by its path because api does not import
 * web.
 */
export function compiledTexts(): CompiledTexts {
  const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)
  const compiler: { compileTexts: () => CompiledTexts } = require(
    join(API_DIR, '../web/build/compile-texts.ts'),
  )
  return compiler.compileTexts()
}
