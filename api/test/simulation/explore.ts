/** What happens, and the state after it. */
export type Step<State> = [what: string, next: State]

/** A protocol as a state and steps, of which each is one call that a store applies at once, one request, or one fault. */
export interface Model<State> {
  first: State
  /**
   * Lists all steps that are possible. The first one has no fault and leads on: those who follow the first steps only must
   * get to a state that is done, wherever they begin.
   */
  stepsOf(state: State): Step<State>[]
  /** Returns the same text for states from which the same can happen. */
  keyOf(state: State): string
  /** Says what is wrong with a state. Null if nothing is. */
  violationOf(state: State): string | null
  isDone(state: State): boolean
}

export interface Explored {
  states: number
  /** The steps up to the nearest violation, and the violation. Null if there is none. */
  violation: string[] | null
}

/**
 * Visits all states, the nearest first, so that a violation comes with its shortest trace. Of each state, 64 bits of a hash
 * are kept: two of ten million states have the same with a probability of 0.0003 %, and then one of them is not visited.
 */
export function explore<State>(model: Model<State>): Explored {
  const known = new Known()
  known.add(model.keyOf(model.first), -1)
  let layer = [model.first]
  for (let index = 0; layer.length > 0; ) {
    const later: State[] = []
    for (const state of layer) {
      const steps = model.stepsOf(state)
      if (steps.length === 0 && !model.isDone(state)) {
        return { states: known.size, violation: [...traceTo(model, known, index), 'nothing can happen'] }
      }
      for (const [at, [, next]] of steps.entries()) {
        const before = known.size
        const found = known.add(model.keyOf(next), index)
        if (at === 0) known.onward.set(index, found)
        if (known.size === before) continue
        later.push(next)
        const wrong = model.violationOf(next)
        if (wrong !== null) return { states: known.size, violation: [...traceTo(model, known, found), wrong] }
      }
      if (model.isDone(state)) known.onward.set(index, index)
      index += 1
    }
    layer = later
  }
  const lost = firstThatGoesRound(known)
  const violation =
    lost === null ? null : [...traceTo(model, known, lost), 'does not get to the end without faults']
  return { states: known.size, violation }
}

/** Follows the first steps from each state. Returns the first state from which they form a cycle, or null. */
function firstThatGoesRound({ size, onward }: Known): number | null {
  const NEW = 0
  const ENDS = size + 1
  const seenFrom = new Int32Array(size)
  for (let from = 0; from < size; from += 1) {
    let at = from
    while (seenFrom[at] === NEW && onward.get(at) !== at) {
      seenFrom[at] = from + 1
      at = onward.get(at)
    }
    if (seenFrom[at] === from + 1) return from
    for (let back = from; seenFrom[back] === from + 1; back = onward.get(back)) seenFrom[back] = ENDS
    seenFrom[at] = ENDS
  }
  return null
}

/** Returns what happens on the shortest way to a state. */
function traceTo<State>(model: Model<State>, known: Known, index: number): string[] {
  const path: number[] = []
  for (let at = index; at > 0; at = known.parents.get(at)) path.unshift(at)
  const trace: string[] = []
  let state = model.first
  for (const at of path) {
    const step = model.stepsOf(state).find(([, next]) => known.find(model.keyOf(next)) === at)
    if (step === undefined)
      throw new Error('A key stands for two states from which different things can happen.')
    trace.push(step[0])
    state = step[1]
  }
  return trace
}

/** Whole numbers by index, as many as needed. */
class Numbers {
  #numbers = new Int32Array(1 << 16)
  get = (index: number): number => this.#numbers[index] as number
  set(index: number, value: number): void {
    if (index >= this.#numbers.length) {
      const before = this.#numbers
      this.#numbers = new Int32Array(2 * before.length)
      this.#numbers.set(before)
    }
    this.#numbers[index] = value
  }
}

/** The states that were found, numbered in the order of their discovery. */
class Known {
  size = 0
  /** From which state each was found. */
  readonly parents = new Numbers()
  /** Where each state's first step leads. */
  readonly onward = new Numbers()
  readonly #low = new Numbers()
  readonly #high = new Numbers()
  /** For each hash the number of its state and one. */
  #slots = new Int32Array(1 << 17)

  /** Returns the state's number, which is a new one if its key is not known. */
  add(key: string, parent: number): number {
    const [low, high] = hashOf(key)
    const slot = this.#slotOf(low, high)
    const found = this.#slots[slot] as number
    if (found > 0) return found - 1
    const index = this.size
    this.size += 1
    this.#low.set(index, low)
    this.#high.set(index, high)
    this.parents.set(index, parent)
    this.#slots[slot] = index + 1
    if (2 * this.size > this.#slots.length) this.#grow()
    return index
  }

  find(key: string): number {
    return (this.#slots[this.#slotOf(...hashOf(key))] as number) - 1
  }

  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length - 1
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const found = (this.#slots[slot] as number) - 1
      if (found < 0 || (this.#low.get(found) === low && this.#high.get(found) === high)) return slot
    }
  }

  #grow(): void {
    this.#slots = new Int32Array(2 * this.#slots.length)
    for (let index = 0; index < this.size; index += 1)
      this.#slots[this.#slotOf(this.#low.get(index), this.#high.get(index))] = index + 1
  }
}

/** MurmurHash3's steps, with two seeds. */
function hashOf(key: string): [low: number, high: number] {
  let low = 0x2f0b4c47
  let high = 0x1b873593
  for (let at = 0; at < key.length; at += 1) {
    const code = key.charCodeAt(at)
    low = Math.imul(low ^ code, 0x85ebca6b)
    low ^= low >>> 13
    high = Math.imul(high ^ code, 0xc2b2ae35)
    high ^= high >>> 15
  }
  low = Math.imul(low ^ key.length, 0xc2b2ae35)
  return [low ^ (low >>> 16), high ^ (high >>> 16)]
}
