// npm run check: what can be said of the sources without running their tests.

import { brokenLinks, environmentGaps, missingFiles } from './docs.ts'
import { openApiGaps } from './openapi.ts'
import { checkSources } from './quality.ts'
import { Steps } from './steps.ts'

const steps = new Steps()
await checkSources(steps)
await steps.check('Documents', async () => [...brokenLinks(), ...missingFiles(), ...environmentGaps()])
await steps.check('OpenAPI', openApiGaps)
steps.finish()
