import type { Random } from '../faults/random.ts'

interface Call {
  actor: string
  what: () => string
  settle: () => void
}

/**
 * Calls of several actors to what they share. None settles by itself: the simulation settles one at a time, so that a seed
 * decides which of them is first.
 */
export class Scheduler {
  /** What has happened. Empty unless it is wanted, for the report of one seed. */
  readonly trace: string[] = []
  #waiting: Call[] = []
  readonly #random: Random
  readonly #traces: boolean

  constructor(random: Random, traces: boolean) {
    this.#random = random
    this.#traces = traces
  }

  note(what: () => string): void {
    if (this.#traces) this.trace.push(what())
  }

  /** Applies the call, and answers it, when its turn has come. */
  call<T>(actor: string, what: () => string, apply: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        try {
          resolve(apply())
        } catch (error) {
          reject(error)
        }
      }
      this.#waiting.push({ actor, what, settle })
    })
  }

  /** Settles one of the calls, except those of an actor who is stuck. False when there is none. */
  settleOne(stuck: string | null): boolean {
    const ready = stuck === null ? this.#waiting : this.#waiting.filter(({ actor }) => actor !== stuck)
    if (ready.length === 0) return false
    const call = this.#random.pick(ready)
    this.#waiting.splice(this.#waiting.indexOf(call), 1)
    this.note(() => `${call.actor}: ${call.what()}`)
    call.settle()
    return true
  }

  /** As a process that is killed: none of its calls is applied or answered any more. */
  kill(actor: string): void {
    this.#waiting = this.#waiting.filter((call) => call.actor !== actor)
    this.note(() => `${actor} is killed`)
  }

  /** Lets everything run that waits for no call. The same number of turns in each run of a seed. */
  async runOthers(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) await null
  }
}

/** As many as the code between two calls takes, about. */
const TURNS = 12
