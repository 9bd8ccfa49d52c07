import { slowExpressions } from './expressions.ts'
import type { Steps } from './steps.ts'

/** Static checks, shared by `npm test` and `npm run check`. */
export async function checkSources(steps: Steps): Promise<void> {
  await steps.tool(
    'Types',
    ...['shared', 'api', 'web', 'web/tsconfig.e2e.json', 'web/tsconfig.worker.json'].map((project) => [
      'tsc',
      '--noEmit',
      '-p',
      project,
    ]),
  )
  await steps.tool('Format and lint', ['biome', 'check', '--error-on-warnings', '.'])
  await steps.tool('Unused code', ['knip'])
  await steps.check('Regular expressions', slowExpressions)
}
