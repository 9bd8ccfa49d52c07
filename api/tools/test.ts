// `npm test` runs all checks and tests, including those in a browser.
// `npm run test:all` runs their longest versions, overnight.

import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { todaysSeed } from '../test/fuzz/todays-seed.ts'
import { lacksReleaseBefore, provideReleaseBefore } from '../test/release-before.ts'
import { findServers } from '../test/servers/find-servers.ts'
import { useMemoryForFolders } from '../test/servers/memory-folder.ts'
import { findHeadlessShell, provideChromium } from './chromium.ts'
import { checkExpressions, checkSources } from './quality.ts'
import { Steps } from './steps.ts'
import { playwrightOutcome, vitestOutcome } from './test-reports.ts'

const reports = mkdtempSync(join(tmpdir(), 'proctorpass-test-'))
const vitestReport = join(reports, 'vitest.json')
const playwrightReport = join(reports, 'playwright.json')
const leftOutFile = join(reports, 'left-out')
const unhandledFile = join(reports, 'unhandled')

/** For each target; two of them run at once. Each also runs its kept corpus, which takes a second. */
const FUZZ_SECONDS = 3
const FUZZ_SECONDS_ALL = 600
/** The nightly run has the parts that are too long for each run. */
const all = process.argv.includes('--all')

/** How long the product is simulated. */
const SIMULATED_S = 60
const SIMULATED_LONG_S = 3_600

const steps = new Steps()
await steps.tool('Page build', ['node', 'api/tools/prepare.mjs', '--build'])

await costOfMessage()

useMemoryForFolders()
// The servers start once for all steps, which find them by these variables and append skipped tests to the file.
process.env.LEFT_OUT_FILE = leftOutFile
process.env.UNHANDLED_FILE = unhandledFile
const servers = await findServers()
if (servers.mongo) process.env.MONGODB_TEST_URL = servers.mongo.url
if (servers.redis) process.env.REDIS_TEST_URL = servers.redis.url

const long = all ? ['--long'] : []
// The unit tests and the fault tests wait for a part of their time, so other steps run beside them. Fuzzing and the
// simulation get a processor of their own, because they try less in their time without one.
await checkSources(steps)
await Promise.all([unitAndIntegrationTests(), releaseBefore().then(() => checkExpressions(steps))])
await Promise.all([faultTests(), fuzzAndSimulate()])
await browserTests()
await steps.check('Test servers', () => servers.close())

/** Prints what a message costs beside the yardsticks, and judges nothing, because other programs change the figures. */
async function costOfMessage(): Promise<void> {
  await steps.tests(
    'Cost of a message',
    ['node', 'api/bench/run.ts', '--quick', '--only=throughput'],
    {},
    () => ({ passed: 1, failed: [] }),
  )
}

async function faultTests(): Promise<void> {
  const one = () => steps.tool('Fault test', ['node', 'api/test/faults/run.ts', ...long])
  const several = () =>
    steps.tool('Fault test with several nodes', ['node', 'api/test/faults/nodes.ts', ...long])
  if (!all) {
    // Both run at once, because they wait most of the time.
    await Promise.all([one(), several()])
    return
  }
  // The long ones load the machine: when both ran at once, a run ended before all webhooks had arrived.
  await one()
  await several()
}

async function fuzzAndSimulate(): Promise<void> {
  await steps.tool(`Fuzzing with the seed ${todaysSeed()}`, [
    'node',
    'api/test/fuzz/run.ts',
    `--seconds=${all ? FUZZ_SECONDS_ALL : FUZZ_SECONDS}`,
    `--seed=${todaysSeed()}`,
  ])
  const seconds = String(all ? SIMULATED_LONG_S : SIMULATED_S)
  await steps.tool('Simulation', ['node', 'api/test/simulation/run.ts', '--seconds', seconds])
  if (!all) return
  await steps.tool('Simulation of webhooks', ['node', 'api/test/simulation/run.ts', '--webhooks'])
  await steps.tool('Known faults', ['node', 'api/test/simulation/run.ts', '--known-faults'])
}

/** For the browser tests that open its pages. */
async function releaseBefore(): Promise<void> {
  const lacking = lacksReleaseBefore()
  if (lacking !== null) return appendFileSync(leftOutFile, `web/e2e/release-before.spec.ts: ${lacking}\n`)
  await steps.check('Release before', async () => {
    await provideReleaseBefore()
    return []
  })
}

async function unitAndIntegrationTests(): Promise<void> {
  await steps.tests(
    'Unit and integration tests',
    [
      'vitest',
      'run',
      '--config=vitest.workspace.ts',
      ...(all ? [] : ['--project=!on-mongo-long']),
      '--reporter=default',
      '--reporter=./api/test/servers/run-notes.ts',
      '--reporter=json',
      `--outputFile.json=${vitestReport}`,
    ],
    {},
    () => {
      const { passed, failed } = vitestOutcome(vitestReport)
      return { passed, failed: [...failed, ...linesOf(unhandledFile)] }
    },
  )
}

async function browserTests(): Promise<void> {
  const paths: Record<string, string> = {}
  await steps.check('Chromium', async () => {
    paths.CHROMIUM_PATH = await provideChromium()
    paths.CHROMIUM_SHELL_PATH = (await findHeadlessShell()) ?? ''
    return []
  })
  if (!paths.CHROMIUM_PATH) return
  if (!paths.CHROMIUM_SHELL_PATH) {
    console.log('Without chromium-headless-shell the browser tests take twice as long.')
  }
  await steps.tests(
    'Browser tests',
    [
      ...['playwright', 'test', '--config', 'web/playwright.config.ts', '--reporter=list,json'],
      ...(all ? [] : ['--grep-invert=@long']),
    ],
    { ...paths, PLAYWRIGHT_JSON_OUTPUT_NAME: playwrightReport },
    () => playwrightOutcome(playwrightReport),
  )
}

const leftOut = linesOf(leftOutFile)
rmSync(reports, { recursive: true })
steps.finish([...servers.missing, ...leftOut])

/** Empty without the file. */
function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}
