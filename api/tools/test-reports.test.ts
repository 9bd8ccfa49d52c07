import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { execute, root } from './steps.ts'
import { playwrightOutcome, vitestOutcome } from './test-reports.ts'

let dir: string
let report: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'proctorpass-reports-'))
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'))
  report = join(dir, 'report.json')
})
afterEach(() => rmSync(dir, { recursive: true }))

const TESTS = `
test.describe('sums', () => {
  test('are right', () => expect(1 + 1).toBe(2))
  test('are wrong', () => expect(1 + 1).toBe(3))
})
`

it('names each test of Vitest that failed, and files that cannot be loaded', async () => {
  const imports = `import { describe, expect, test } from 'vitest'\ntest.describe = describe\n`
  writeFileSync(join(dir, 'sums.test.ts'), imports + TESTS)
  writeFileSync(join(dir, 'broken.test.ts'), 'throw new Error("It cannot be loaded.")')
  const line = ['vitest', 'run', '--root', dir, '--reporter=json', `--outputFile.json=${report}`]
  expect((await execute(line, 'pipe')).code).toBe(1)
  const { passed, failed } = vitestOutcome(report)
  expect(passed).toBe(1)
  expect(failed.sort()).toEqual([
    expect.stringMatching(/broken\.test\.ts: .*It cannot be loaded\.$/),
    expect.stringMatching(/sums\.test\.ts > sums are wrong: AssertionError: expected 2 to be 3/),
  ])
})

it('names each test of Playwright that failed', async () => {
  writeFileSync(join(dir, 'sums.spec.ts'), `import { expect, test } from '@playwright/test'\n${TESTS}`)
  writeFileSync(join(dir, 'playwright.config.ts'), 'export default {}')
  const line = ['playwright', 'test', '--config', join(dir, 'playwright.config.ts'), '--reporter=json']
  expect((await execute(line, 'pipe', { PLAYWRIGHT_JSON_OUTPUT_NAME: report })).code).toBe(1)
  const { passed, failed } = playwrightOutcome(report)
  expect(passed).toBe(1)
  expect(failed).toEqual([
    expect.stringMatching(/sums\.spec\.ts > are wrong: Error: expect(.|\n)*Expected: 3/),
  ])
})

it('reports a runner that left no report', () => {
  expect(vitestOutcome(report)).toEqual({ passed: 0, failed: ['There is no report of tests.'] })
})
