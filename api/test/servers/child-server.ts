import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'

const START_WITHIN_MS = 60_000
/** The stand-in for MongoDB can hang on SIGTERM while clients hold connections. */
const STOP_WITHIN_MS = 10_000
const ASK_AGAIN_MS = 25

/** A third-party server as a child process that ends with this one. */
export class ChildServer {
  readonly #title: string
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #withChildren: boolean
  readonly #killAtExit = () => {
    this.#child.kill('SIGKILL')
    this.#killChildren()
  }
  #wasStopped = false
  #output = ''

  /** @param options.withChildren its children end with it, which some servers leave behind now and then */
  constructor(command: string, args: string[], { withChildren = false } = {}) {
    this.#title = command
    this.#withChildren = withChildren
    this.#child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: withChildren })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-8_192)
      })
    }
    // A program that cannot be started at all has no exit.
    this.#child.on('error', (error) => {
      this.#output += error.message
    })
    process.once('exit', this.#killAtExit)
    this.#ended = new Promise<void>((resolve) => {
      this.#child.once('exit', () => resolve())
      this.#child.once('error', () => resolve())
    }).then(() => {
      process.off('exit', this.#killAtExit)
      this.#killChildren()
    })
  }

  get hasEnded(): boolean {
    return this.#child.pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  /** Its last output, if it ended without `stop`. */
  get crash(): string | null {
    if (!this.hasEnded || this.#wasStopped) return null
    const how = this.#child.signalCode ?? `exit code ${this.#child.exitCode}`
    return `${this.#title} ended by itself (${how}). Its last output:\n${this.#output.trim()}`
  }

  /** Asks until the answer is true. Throws when it ends instead, or takes too long. */
  async untilReady(isReady: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + START_WITHIN_MS
    while (performance.now() < deadline) {
      if (this.crash !== null) throw new Error(this.crash)
      if (await isReady().catch(() => false)) return
      await pause(ASK_AGAIN_MS)
    }
    await this.stop('SIGKILL')
    throw new Error(`${this.#title} was not ready in time. Its last output:\n${this.#output.trim()}`)
  }

  /** Like a service manager: what a signal did not end in time is killed. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#wasStopped = true
    if (this.hasEnded) return
    this.#child.kill(signal)
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), STOP_WITHIN_MS)
    await this.#ended
    clearTimeout(kill)
  }

  /** Those in its group of processes. */
  #killChildren(): void {
    if (!this.#withChildren || this.#child.pid === undefined) return
    try {
      process.kill(-this.#child.pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  /** Frozen: it holds its connections and answers nothing. */
  freeze(): void {
    this.#child.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child.kill('SIGCONT')
  }
}

/** The first line that a command prints, or null when it cannot be run. */
export async function firstLineOf(command: string, ...args: string[]): Promise<string | null> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const [code] = await once(child, 'close').catch(() => [1])
  return code === 0 ? (output.split('\n')[0] ?? '') : null
}
