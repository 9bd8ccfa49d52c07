import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { vi } from 'vitest'

export interface Started {
  url: string
  stop: () => Promise<void>
}

/** Commands as a person types them, in one folder. `env` is the whole environment. */
export class Shell {
  readonly #cwd: string
  readonly #env: Record<string, string>
  readonly #running = new Set<ChildProcess>()

  constructor(cwd: string, env: Record<string, string>) {
    this.#cwd = cwd
    this.#env = env
  }

  #spawn(command: string): { child: ChildProcess; ended: Promise<unknown[]>; output: () => string } {
    // In a group of its own: npm starts further processes.
    const child = spawn('/bin/sh', ['-c', command], { cwd: this.#cwd, env: this.#env, detached: true })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    const ended = once(child, 'close').finally(() => this.#running.delete(child))
    this.#running.add(child)
    return { child, ended, output: () => output }
  }

  /** Its output. Throws when it fails. */
  async run(command: string): Promise<string> {
    const { ended, output } = this.#spawn(command)
    const [code] = await ended
    if (code !== 0) throw new Error(`${command}: exit code ${code}\n${output()}`)
    return output()
  }

  /** A command that serves until it is stopped. */
  async start(command: string): Promise<Started> {
    const { child, ended, output } = this.#spawn(command)
    const url = await vi.waitFor(
      () => {
        const found = /is running at (http:\S+)\s/.exec(output())?.[1]
        if (found === undefined) throw new Error(`${command}:\n${output()}`)
        return found
      },
      { timeout: 50_000 },
    )
    const stop = async () => {
      signalGroup(child, 'SIGTERM')
      await ended
    }
    return { url, stop }
  }

  /** Ends what a failed test left. */
  close(): void {
    for (const child of this.#running) signalGroup(child, 'SIGKILL')
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal)
}
