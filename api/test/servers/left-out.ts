import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule, TestSuite } from 'vitest/node'

/** Reports the skipped tests at the end of a run; also appends them to LEFT_OUT_FILE if that is set. */
export default class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const lines = modules.flatMap((module) => skippedIn(module, module.relativeModuleId))
    if (lines.length === 0) return
    console.log(`\nLEFT OUT of this run:\n${lines.map((line) => `  - ${line}\n`).join('')}`)
    const file = process.env.LEFT_OUT_FILE
    if (file) appendFileSync(file, lines.map((line) => `${line}\n`).join(''))
  }
}

/** A suite of which nothing ran counts as one. */
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
