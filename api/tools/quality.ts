import { undeclaredInPages } from './custom-properties.ts'
import { brokenLinks, environmentGaps, missingFiles } from './docs.ts'
import { replacedWordUses } from './glossary.ts'
import { wrongImports } from './imports.ts'
import { openApiGaps } from './openapi.ts'
import type { Steps } from './steps.ts'

/** Checks sources and documents without running tests, for `npm test` and `npm run check`. */
export async function checkSources(steps: Steps): Promise<void> {
  const projects = ['shared', 'api', 'web', 'web/tsconfig.e2e.json', 'web/tsconfig.worker.json']
  await Promise.all([
    steps.tool('Types', ...projects.map((project) => ['tsc', '--noEmit', '-p', project])),
    steps.tool('Format and lint', ['biome', 'check', '--error-on-warnings', '.']),
    steps.tool('Unused code', ['knip']),
    steps.tool('Regular expressions', ['node', 'api/tools/expressions.ts']),
  ])
  await steps.check('Imports', async () => wrongImports())
  await steps.check('Documents', async () => [...brokenLinks(), ...missingFiles(), ...environmentGaps()])
  await steps.check('Custom properties', async () => undeclaredInPages())
  await steps.check('Glossary', async () => replacedWordUses())
  await steps.check('OpenAPI', openApiGaps)
}
