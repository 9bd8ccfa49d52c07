import { undeclaredInPages } from './custom-properties.ts'
import { brokenLinks, environmentGaps, missingFiles } from './docs.ts'
import { replacedWordUses } from './glossary.ts'
import { developmentImports, wrongImports } from './imports.ts'
import { openApiGaps } from './openapi.ts'
import { outdatedDocumentPictures } from './pictures.ts'
import type { Steps } from './steps.ts'

/** Checks that each regular expression takes linear time. One process does it, in a minute if nothing is cached. */
export function checkExpressions(steps: Steps): Promise<void> {
  return steps.tool('Regular expressions', ['node', 'api/tools/expressions.ts'])
}

/** Checks sources and documents without running tests, all but the regular expressions. */
export async function checkSources(steps: Steps): Promise<void> {
  const projects = ['shared', 'api', 'web', 'web/tsconfig.e2e.json', 'web/tsconfig.worker.json']
  await Promise.all([
    steps.tool('Types', ...projects.map((project) => ['tsc', '--noEmit', '-p', project])),
    steps.tool('Format and lint', ['biome', 'check', '--error-on-warnings', '.']),
    steps.tool('Unused code', ['knip']),
  ])
  await steps.check('Imports', async () => [...wrongImports(), ...developmentImports()])
  await steps.check('Documents', async () => [...brokenLinks(), ...missingFiles(), ...environmentGaps()])
  await steps.check('Pictures', async () => outdatedDocumentPictures())
  await steps.check('Custom properties', async () => undeclaredInPages())
  await steps.check('Glossary', async () => replacedWordUses())
  await steps.check('OpenAPI', openApiGaps)
}
