import { spawn } from 'node:child_process'
import { cpus } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** `failed`: a line for each test, with its message. */
export interface Outcome {
  passed: number
  failed: string[]
}

/** Descriptions of problems; empty when the check passes. */
type Problems = string[]

/** Lines of a failed step that are printed again at the end of a long log. */
const REPEATED_LINES = 15
const REPEATED_CHARACTERS = 300

/** The steps of one command: each has a heading, all of them run, and failed ones are listed at the end. They may overlap. */
export class Steps {
  private readonly started = processorTimes()
  private readonly failedSteps: string[] = []
  private readonly total: Outcome = { passed: 0, failed: [] }

  /**
   * A function as a step; a throw fails it too. Everything is printed at its end, so that the output of steps that
   * overlap stays in one piece.
   */
  async check(title: string, find: () => Promise<Problems>): Promise<void> {
    const started = processorTimes()
    const problems = await find().catch((error) => [error instanceof Error ? error.message : String(error)])
    console.log([`\n── ${title}`, ...problems].join('\n'))
    this.end(
      title,
      started,
      problems.length === 0 ? { passed: 1, failed: [] } : { passed: 0, failed: [withEndOf(title, problems)] },
    )
  }

  /** Commands as one step: their output is shown on failure. */
  async tool(title: string, ...lines: string[][]): Promise<void> {
    await this.check(title, async () => {
      const problems: Problems = []
      for (const line of lines) {
        const { code, output } = await execute(line, 'pipe')
        if (code !== 0) problems.push(output || `${line.join(' ')}: exit code ${code}`)
      }
      return problems
    })
  }

  /** A test runner with live output; `read` reads its report. A nonzero exit code always fails the step. */
  async tests(title: string, line: string[], env: NodeJS.ProcessEnv, read: () => Outcome): Promise<void> {
    const started = processorTimes()
    console.log(`\n── ${title}`)
    const { code } = await execute(line, 'inherit', env)
    const { passed, failed } = read()
    const isOk = code === 0 || failed.length > 0
    this.end(title, started, { passed, failed: isOk ? failed : [`${title}: exit code ${code}`] })
  }

  private end(title: string, started: Times, { passed, failed }: Outcome): void {
    this.total.passed += passed
    this.total.failed.push(...failed)
    if (failed.length > 0) this.failedSteps.push(title)
    console.log(`   ${title}: ${failed.length > 0 ? 'FAILED' : 'ok'} in ${sinceThen(started)}`)
  }

  /** Prints the tests that were left out or failed, and the result; sets the exit code. */
  finish(leftOut: string[] = []): void {
    console.log()
    if (leftOut.length > 0) console.log(`LEFT OUT:\n${leftOut.map((line) => `  - ${line}\n`).join('')}`)
    if (this.failedSteps.length > 0) {
      const lines = this.total.failed.map((line) => `  - ${line}\n`)
      console.log(`FAILED:\n${lines.join('')}\nFailed: ${this.failedSteps.join(', ')}`)
      process.exitCode = 1
    }
    console.log(`All steps in ${sinceThen(this.started)}`)
    console.log(`${this.total.passed} passed, ${this.total.failed.length} failed`)
  }
}

interface Times {
  at: number
  /** Milliseconds of all processors together since the machine started. */
  busy: number
  idle: number
}

function processorTimes(): Times {
  const times = cpus().map((each) => each.times)
  const idle = times.reduce((sum, each) => sum + each.idle, 0)
  const all = times.flatMap((each) => Object.values(each)).reduce((sum, each) => sum + each, 0)
  return { at: performance.now(), busy: all - idle, idle }
}

/** The seconds since then, and the processors' load by all programs of the machine: what is idle waits. */
function sinceThen(then: Times): string {
  const now = processorTimes()
  const [busy, idle] = [now.busy - then.busy, now.idle - then.idle]
  const share = Math.round((100 * busy) / Math.max(busy + idle, 1))
  return `${((now.at - then.at) / 1_000).toFixed(1)} s, processors ${share}% busy`
}

/** Runs a command of `node_modules/.bin` or the system in the root, with the installed Node. */
export function execute(
  [command = '', ...args]: string[],
  stdio: 'pipe' | 'inherit',
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: {
        ...process.env,
        PATH: [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
        ...env,
      },
      stdio: ['ignore', stdio, stdio],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.on('error', (error) => resolve({ code: 127, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output: output.trim() }))
  })
}

/** The last lines say most: a report or an error ends the output of a tool. */
function withEndOf(title: string, problems: Problems): string {
  const lines = stripVTControlCharacters(problems.join('\n')).trimEnd().split('\n').slice(-REPEATED_LINES)
  return [`${title}:`, ...lines.map((line) => line.slice(0, REPEATED_CHARACTERS))].join('\n      ')
}
