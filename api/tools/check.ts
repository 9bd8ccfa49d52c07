// npm run check: checks of sources and documents that run no tests.

import { brokenLinks, environmentGaps, missingFiles } from './docs.ts'
import { replacedWordUses } from './glossary.ts'
import { openApiGaps } from './openapi.ts'
import { checkSources } from './quality.ts'
import { Steps } from './steps.ts'

const steps = new Steps()
await checkSources(steps)
await steps.check('Documents', async () => [...brokenLinks(), ...missingFiles(), ...environmentGaps()])
await steps.check('Glossary', async () => replacedWordUses())
await steps.check('OpenAPI', openApiGaps)
steps.finish()
