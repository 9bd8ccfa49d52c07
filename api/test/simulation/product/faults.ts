import { createRandom, type Random } from '../../faults/random.ts'

/**
 * Decides which faults happen. They are numbered in their order, so that a run can be repeated with some of them: the
 * others are drawn, and do not happen.
 */
export class Faults {
  /** The numbers of the faults that have happened. */
  readonly happened: number[] = []
  readonly random: Random
  readonly #allowed: ReadonlySet<number> | null
  #drawn = 0
  #haveEnded = false

  /** @param allowed null allows all faults */
  constructor(seed: number, allowed: ReadonlySet<number> | null) {
    this.random = createRandom(seed, 'faults')
    this.#allowed = allowed
  }

  /** Whether a fault of this probability happens here. */
  happens(probability: number): boolean {
    if (this.#haveEnded || !this.random.chance(probability)) return false
    const number = this.#drawn
    this.#drawn += 1
    if (this.#allowed !== null && !this.#allowed.has(number)) return false
    this.happened.push(number)
    return true
  }

  /** From now on nothing fails. */
  end(): void {
    this.#haveEnded = true
  }
}
