// npm test: all checks and tests, including those in a browser.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findServers } from '../test/servers/find-servers.ts'
import { useMemoryForFolders } from '../test/servers/memory-folder.ts'
import { provideChromium } from './chromium.ts'
import { checkSources } from './quality.ts'
import { type Count, Steps } from './steps.ts'

const reports = mkdtempSync(join(tmpdir(), 'proctorpass-test-'))
const vitestReport = join(reports, 'vitest.json')
const playwrightReport = join(reports, 'playwright.json')
const leftOutFile = join(reports, 'left-out')

/** A runner without a report failed before its first test. */
function readReport(path: string, count: (report: never) => Count): Count {
  if (!existsSync(path)) return { passed: 0, failed: 1 }
  return count(JSON.parse(readFileSync(path, 'utf8')) as never)
}

const steps = new Steps()
await checkSources(steps)
await steps.tool('Page build', ['node', 'api/tools/prepare.mjs', '--build'])

useMemoryForFolders()
// Started once for all steps, which find the servers by these variables and append skipped tests to the file.
process.env.LEFT_OUT_FILE = leftOutFile
const servers = await findServers()
if (servers.mongo) process.env.MONGODB_TEST_URL = servers.mongo.url
if (servers.redis) process.env.REDIS_TEST_URL = servers.redis.url
await steps.tests(
  'Unit and integration tests',
  [
    ...['vitest', 'run', '--config', 'vitest.workspace.ts'],
    ...['--reporter=default', '--reporter=./api/test/servers/left-out.ts'],
    ...['--reporter=json', `--outputFile.json=${vitestReport}`],
  ],
  {},
  () =>
    readReport(vitestReport, (report: { numPassedTests: number; numFailedTests: number }) => ({
      passed: report.numPassedTests,
      failed: report.numFailedTests,
    })),
)
await steps.check('Test servers', () => servers.close())
await steps.tool('Fault test', ['node', 'api/test/faults/run.ts'])
await steps.tool('Fault test with several nodes', ['node', 'api/test/faults/nodes.ts'])

let chromium = ''
await steps.check('Chromium', async () => {
  chromium = await provideChromium()
  return []
})
if (chromium) {
  await steps.tests(
    'Browser tests',
    ['playwright', 'test', '--config', 'web/playwright.config.ts', '--reporter=list,json'],
    { CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: playwrightReport },
    () =>
      readReport(playwrightReport, (report: { stats: { expected: number; unexpected: number } }) => ({
        passed: report.stats.expected,
        failed: report.stats.unexpected,
      })),
  )
}
const leftOut = existsSync(leftOutFile) ? readFileSync(leftOutFile, 'utf8').trimEnd().split('\n') : []
rmSync(reports, { recursive: true })
steps.finish([...servers.missing, ...leftOut])
