import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash, type Hash } from 'node:crypto'
import type { Random } from '../../faults/random.ts'

/** When each simulation begins: 2026-01-05 09:00 UTC, a Monday. */
const START = Date.UTC(2026, 0, 5, 9)
/** How long after its cause something that needs no time happens, at most. */
const INSTANT_MS = 0.2
const TRACE_BUFFER = 1 << 16

/** A process of the simulation: a server, or a person's browser. */
export interface Actor {
  readonly name: string
  readonly world: World
  /** False once it was killed: nothing of it happens any more. */
  isAlive: boolean
  /** Until this time it is stopped, as by SIGSTOP: what is due happens then. */
  stoppedUntil: number
  /** How far its clock is ahead of the true time. */
  skewMs: number
  readonly startedAt: number
  /** Called when it is killed, for what other actors notice. */
  readonly onKilled: Set<() => void>
}

/** Something that will happen. */
export interface Due {
  at: number
  order: number
  actor: Actor
  what: string
  /** Null once it was canceled. */
  run: (() => void) | null
}

const current = new AsyncLocalStorage<Actor>()
const realSetImmediate = setImmediate

/**
 * One simulated world: a true time that passes only between two steps, actors, and a queue of what is due. Everything
 * that the actors wait for is in the queue, so a seed decides the order of all that happens.
 */
export class World {
  now = START
  steps = 0
  readonly random: Random
  readonly #queue: Due[] = []
  readonly #onLine: ((line: string) => void) | null
  readonly #hash: Hash = createHash('sha256')
  #buffer = ''
  #order = 0

  /** @param onLine receives each line of the trace */
  constructor(random: Random, onLine: ((line: string) => void) | null) {
    this.random = random
    this.#onLine = onLine
  }

  actor(name: string): Actor {
    return {
      ...{ name, world: this, isAlive: true, stoppedUntil: 0, skewMs: 0, startedAt: this.now },
      onKilled: new Set(),
    }
  }

  /** Runs code as an actor: its clock, its timers, and all that follows from it are the actor's. */
  run<T>(actor: Actor, code: () => T): T {
    return current.run(actor, code)
  }

  /** Adds a line to the trace. */
  note(line: string): void {
    const timed = `${(this.now - START).toFixed(2)} ${line}`
    this.#onLine?.(timed)
    this.#buffer += `${timed}\n`
    if (this.#buffer.length < TRACE_BUFFER) return
    this.#hash.update(this.#buffer)
    this.#buffer = ''
  }

  /** Returns the SHA-256 of the whole trace. */
  digest(): string {
    return this.#hash.copy().update(this.#buffer).digest('hex')
  }

  /** Lets the actor do something after a time. What is due at the same time happens in any order. */
  after(ms: number, actor: Actor, what: string, run: () => void): Due {
    const at = this.now + Math.max(0, ms) + this.random.next() * INSTANT_MS
    const due: Due = { at, order: this.#order, actor, what, run }
    this.#order += 1
    this.#push(due)
    return due
  }

  /** Ends an actor as `kill -9` does. */
  kill(actor: Actor): void {
    this.note(`${actor.name} is killed`)
    actor.isAlive = false
    for (const notice of actor.onKilled) notice()
    actor.onKilled.clear()
  }

  /** Lets the next thing happen, and everything that follows from it without waiting. False when nothing is due. */
  async step(): Promise<boolean> {
    for (let due = this.#pop(); due !== undefined; due = this.#pop()) {
      const { actor, run, what } = due
      if (run === null || !actor.isAlive) continue
      this.now = Math.max(this.now, due.at)
      if (actor.stoppedUntil > this.now) {
        due.at = actor.stoppedUntil
        this.#push(due)
        continue
      }
      this.steps += 1
      this.note(`${actor.name} ${what}`)
      current.run(actor, run)
      await turn()
      return true
    }
    return false
  }

  /** Steps until the promise settles. Throws when nothing is due any more, or after so many steps. */
  async until<T>(promise: Promise<T>, stepsMax = Infinity): Promise<T> {
    const end = this.steps + stepsMax
    let isSettled = false
    const settled = () => {
      isSettled = true
    }
    promise.then(settled, settled)
    await turn()
    while (!isSettled) {
      if (!(await this.step())) throw new Error('Nothing is due, and somebody still waits.')
      if (this.steps > end) throw new Error(`An actor still waits after ${stepsMax} steps without a fault.`)
    }
    return promise
  }

  #push(due: Due): void {
    const queue = this.#queue
    let index = queue.push(due) - 1
    while (index > 0) {
      const parent = (index - 1) >> 1
      const above = queue[parent] as Due
      if (!isBefore(due, above)) break
      queue[index] = above
      index = parent
    }
    queue[index] = due
  }

  #pop(): Due | undefined {
    const queue = this.#queue
    const first = queue[0]
    const last = queue.pop()
    if (first === undefined || last === undefined || queue.length === 0) return first
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= queue.length) break
      const [left, right] = [queue[child] as Due, queue[child + 1]]
      const next = right !== undefined && isBefore(right, left) ? right : left
      if (next === right) child += 1
      if (!isBefore(next, last)) break
      queue[index] = next
      index = child
    }
    queue[index] = last
    return first
  }
}

/** The actor whose code runs. Undefined outside of the simulation. */
export const currentActor = (): Actor | undefined => current.getStore()

/** Lets all code run that waits for nothing. */
const turn = () => new Promise<void>((resolve) => realSetImmediate(resolve))

const isBefore = (one: Due, other: Due) =>
  one.at < other.at || (one.at === other.at && one.order < other.order)
