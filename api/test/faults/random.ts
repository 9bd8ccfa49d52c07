/** A source of decisions that one seed settles. Each actor has its own, so that no other can shift it. */
export interface Random {
  /** From 0 up to 1. */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(values: readonly T[]): T
}

export function createRandom(seed: number, actor: string): Random {
  let state = seed | 0
  for (const character of actor) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x5bd1e995)
  // Mulberry32: small, and good enough to choose faults by.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    integer: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability) => next() < probability,
    pick(values) {
      const value = values[Math.floor(next() * values.length)]
      if (value === undefined) throw new Error('nothing to pick from')
      return value
    },
  }
}
