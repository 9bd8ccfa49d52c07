import { createRandom, type Random } from '../../faults/random.ts'

/** How often a kind of fault happens in a run, as a multiple of its usual rate. */
const FACTORS = [0, 1, 1, 3] as const

/**
 * Decides which faults happen. Each seed has its own mixture of them: some kinds do not happen, and others happen more
 * often, because some orders are only reached when one fault does not end what another one began. The faults are
 * numbered in their order, so that a run can be repeated with some of them: the others are drawn, and do not happen.
 */
export class Faults {
  /** The numbers of the faults that have happened. */
  readonly happened: number[] = []
  readonly random: Random
  readonly #seed: number
  readonly #factors = new Map<string, number>()
  readonly #allowed: ReadonlySet<number> | null
  #drawn = 0
  #haveEnded = false

  /** @param allowed null allows all faults */
  constructor(seed: number, allowed: ReadonlySet<number> | null) {
    this.random = createRandom(seed, 'faults')
    this.#seed = seed
    this.#allowed = allowed
  }

  /** Whether a fault of this kind happens here. `rate` is its usual probability. */
  happens(kind: string, rate: number): boolean {
    if (this.#haveEnded || !this.random.chance(rate * this.#factorOf(kind))) return false
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

  #factorOf(kind: string): number {
    let factor = this.#factors.get(kind)
    if (factor === undefined) {
      factor = createRandom(this.#seed, `how often: ${kind}`).pick(FACTORS)
      this.#factors.set(kind, factor)
    }
    return factor
  }
}
