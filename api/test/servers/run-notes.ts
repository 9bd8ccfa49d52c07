import { appendFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestModule, TestSuite } from 'vitest/node'

/**
 * Prints what vitest's JSON report lacks: the skipped tests, and the errors that no test caught. Appends both, one line
 * each, to the files that LEFT_OUT_FILE and UNHANDLED_FILE name.
 */
export default class RunNotes implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const leftOut = modules.flatMap((module) => skippedIn(module, module.relativeModuleId))
    if (leftOut.length > 0)
      console.log(`\nLEFT OUT of this run:\n${leftOut.map((line) => `  - ${line}\n`).join('')}`)
    append(process.env.LEFT_OUT_FILE, leftOut)
    append(process.env.UNHANDLED_FILE, errors.map(lineOf))
  }
}

function append(file: string | undefined, lines: string[]): void {
  if (file) appendFileSync(file, lines.map((line) => `${line}\n`).join(''))
}

/** The message and the innermost calls, which name the file that threw. */
function lineOf({ message, stack = '' }: SerializedError): string {
  const calls = stack
    .split('\n')
    .filter((line) => line.trim().startsWith('at '))
    .slice(0, 4)
  return [`outside of the tests: ${message}`, ...calls].join(' ').replaceAll(/\s+/g, ' ')
}

/** A suite counts as one line if none of its tests ran. */
function skippedIn(parent: TestModule | TestSuite, path: string): string[] {
  return [...parent.children].flatMap((child) => {
    const name = `${path} > ${child.name}`
    if (child.type === 'test') {
      const result = child.result()
      if (result.state !== 'skipped') return []
      return [result.note === undefined ? name : `${name} (left out: ${result.note})`]
    }
    const tests = [...child.children.allTests()]
    if (tests.length > 0 && tests.every((test) => test.result().state === 'skipped')) return [name]
    return skippedIn(child, name)
  })
}
