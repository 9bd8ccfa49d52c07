// npm run check: checks of sources and documents that run no tests.

import { checkSources } from './quality.ts'
import { Steps } from './steps.ts'

const steps = new Steps()
await checkSources(steps)
steps.finish()
