import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { type Outcome, root } from './steps.ts'

interface VitestReport {
  numPassedTests: number
  testResults: {
    name: string
    message: string
    status: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

interface Suite {
  file: string
  suites?: Suite[]
  specs: { title: string; ok: boolean; tests: { results: { error?: { message?: string } }[] }[] }[]
}

interface PlaywrightReport {
  stats: { expected: number }
  suites: Suite[]
  /** Outside of tests. */
  errors: { message?: string }[]
}

export const vitestOutcome = outcomeOf<VitestReport>(({ numPassedTests, testResults }) => ({
  passed: numPassedTests,
  failed: testResults.flatMap(({ name, message, status, assertionResults }) => {
    const file = relative(root, name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    // A file that could not be loaded has no test.
    if (failed.length === 0) return status === 'failed' ? [lineOf(file, message)] : []
    return failed.map((test) => lineOf(`${file} > ${test.fullName}`, test.failureMessages[0]))
  }),
}))

export const playwrightOutcome = outcomeOf<PlaywrightReport>(({ stats, suites, errors }) => ({
  passed: stats.expected,
  failed: [
    ...errors.map(({ message }) => lineOf('outside of the tests', message)),
    ...suites.flatMap(failedIn),
  ],
}))

function failedIn({ file, suites = [], specs }: Suite): string[] {
  const failed = specs.filter(({ ok }) => !ok)
  const errorOf = ({ tests }: (typeof specs)[number]) =>
    tests.flatMap(({ results }) => results.flatMap(({ error }) => error?.message ?? []))[0]
  return [
    ...failed.map((spec) => lineOf(`web/e2e/${file} > ${spec.title}`, errorOf(spec))),
    ...suites.flatMap(failedIn),
  ]
}

/** Reads a report. A runner without one failed before its first test. */
function outcomeOf<Report>(read: (report: Report) => Outcome): (path: string) => Outcome {
  return (path) =>
    existsSync(path)
      ? read(JSON.parse(readFileSync(path, 'utf8')) as Report)
      : { passed: 0, failed: ['There is no report of tests.'] }
}

/** With the first lines of the message, which name the expected value. */
function lineOf(test: string, message = ''): string {
  const lines = stripVTControlCharacters(message).split('\n')
  return [`${test}: ${lines[0]}`, ...lines.slice(1, 6)].join('\n      ').trimEnd()
}
