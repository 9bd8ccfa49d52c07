import crypto, { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { createRandom, type Random } from '../../faults/random.ts'
import { type Actor, currentActor, type Due, type World } from './world.ts'

/**
 * Replaces what code asks of its process: clocks, timers, chance, and the disk. In an actor's code they are the
 * world's; other code gets the real ones. This file is loaded before the product, which must not keep the real ones.
 */
/** Random numbers of code that is no actor's. */
let random: Random = createRandom(1, 'modules')

/** From now on, code that is no actor's draws from this world too. */
export function enter({ random: ofWorld }: World): void {
  random = ofWorld
}

/** What is left of an earlier world's actors acts there, where no step happens any more. */
function here(): { world: World; actor: Actor } | null {
  const actor = currentActor()
  return actor === undefined ? null : { world: actor.world, actor }
}

const chance = (): Random => here()?.world.random ?? random

const real = {
  Date,
  now: Date.now,
  performanceNow: performance.now.bind(performance),
  setTimeout,
  setInterval,
  setImmediate,
  clearTimeout,
  clearInterval,
  clearImmediate,
  timeout: AbortSignal.timeout.bind(AbortSignal),
}

const wallClock = () => {
  const at = here()
  return at === null ? real.now() : Math.floor(at.world.now + at.actor.skewMs)
}

globalThis.Date = new Proxy(Date, {
  get: (target, key) => (key === 'now' ? wallClock : Reflect.get(target, key)),
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [wallClock()] : args, newTarget),
})
performance.now = () => {
  const at = here()
  return at === null ? real.performanceNow() : at.world.now - at.actor.startedAt
}

/** A timer of the world, with the methods of Node's. */
class Timer {
  #due: Due
  readonly #arm: () => Due

  constructor(arm: () => Due) {
    this.#arm = arm
    this.#due = arm()
  }

  cancel(): void {
    this.#due.run = null
  }

  again(): void {
    this.#due = this.#arm()
  }

  ref = () => this
  unref = () => this
  hasRef = () => true
  refresh(): this {
    this.cancel()
    this.again()
    return this
  }
  [Symbol.toPrimitive] = () => this.#due.order
}

type Callback = (...args: unknown[]) => void

function timer(
  what: string,
  run: Callback,
  ms: number | undefined,
  args: unknown[],
  repeats = false,
): Timer | null {
  const at = here()
  if (at === null) return null
  const created: Timer = new Timer(() =>
    at.world.after(Math.max(1, ms ?? 1), at.actor, what, () => {
      if (repeats) created.again()
      run(...args)
    }),
  )
  return created
}

const clear = (clearReal: (timer: never) => void) => (timer: unknown) => {
  if (timer instanceof Timer) timer.cancel()
  else clearReal(timer as never)
}

const globals = {
  setTimeout: (run: Callback, ms?: number, ...args: unknown[]) =>
    timer('timer', run, ms, args) ?? real.setTimeout(run, ms, ...args),
  setInterval: (run: Callback, ms?: number, ...args: unknown[]) =>
    timer('interval', run, ms, args, true) ?? real.setInterval(run, ms, ...args),
  setImmediate: (run: Callback, ...args: unknown[]) => {
    const at = here()
    if (at === null) return real.setImmediate(run, ...args)
    return new Timer(() => at.world.after(0, at.actor, 'immediate', () => run(...args)))
  },
  clearTimeout: clear(real.clearTimeout),
  clearInterval: clear(real.clearInterval),
  clearImmediate: clear(real.clearImmediate),
}
Object.assign(globalThis, globals)

AbortSignal.timeout = (ms) => {
  if (here() === null) return real.timeout(ms)
  const controller = new AbortController()
  globals.setTimeout(() => controller.abort(new DOMException('The operation timed out.', 'TimeoutError')), ms)
  return controller.signal
}

Object.assign(timers, {
  setTimeout: (ms?: number, value?: unknown) =>
    new Promise((resolve) => globals.setTimeout(() => resolve(value), ms)),
  setImmediate: (value?: unknown) => new Promise((resolve) => globals.setImmediate(() => resolve(value))),
})

function fill(bytes: Uint8Array): Uint8Array {
  for (let index = 0; index < bytes.length; index += 1) bytes[index] = Math.floor(chance().next() * 256)
  return bytes
}
const hex = (count: number) => Buffer.from(fill(new Uint8Array(count))).toString('hex')
Math.random = () => chance().next()
globalThis.crypto.getRandomValues = <T extends ArrayBufferView | null>(array: T): T => {
  if (array !== null) fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
  return array
}
const randomUUID = () => `${hex(4)}-${hex(2)}-4${hex(2).slice(1)}-8${hex(2).slice(1)}-${hex(6)}`
globalThis.crypto.randomUUID = randomUUID as typeof globalThis.crypto.randomUUID
Object.assign(crypto, {
  randomBytes: (count: number) => Buffer.from(fill(new Uint8Array(count))),
  randomInt: (min: number, max?: number) =>
    max === undefined ? chance().integer(0, min - 1) : chance().integer(min, max - 1),
  randomUUID,
  // The real one takes 50 ms of a thread. No oracle asks how hard a password is to guess.
  scrypt: (password: Buffer, salt: Buffer, length: number, ...rest: unknown[]) => {
    const done = rest.at(-1) as (error: null, key: Buffer) => void
    const key = createHash('shake256', { outputLength: length }).update(password).update(salt).digest()
    globals.setImmediate(() => done(null, key))
  },
})

const missing = async () => {
  throw Object.assign(new Error('The simulation has no disk.'), { code: 'ENOENT' })
}
// Only DATA_DIR's languages are read while a server runs.
Object.assign(fs, { open: missing, readdir: missing, stat: missing })
syncBuiltinESMExports()
