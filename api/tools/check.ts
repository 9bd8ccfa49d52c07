// `npm run check` checks sources and documents without running tests.
// With --sizes it only prints how much there is to read.

import { checkSources } from './quality.ts'
import { sizes } from './sizes.ts'
import { Steps } from './steps.ts'

if (process.argv.includes('--sizes')) {
  console.log(sizes())
} else {
  const steps = new Steps()
  await checkSources(steps)
  steps.finish()
}
