// `npm run check` checks sources and documents without running tests.
// With --sizes it only prints how much there is to read.

import { checkExpressions, checkSources } from './quality.ts'
import { sizes } from './sizes.ts'
import { Steps } from './steps.ts'

if (process.argv.includes('--sizes')) {
  console.log(sizes())
} else {
  const steps = new Steps()
  await Promise.all([checkExpressions(steps), checkSources(steps)])
  steps.finish()
}
