/** Which blocks ran, and how often. */
export interface Coverage {
  /** The number of blocks that were loaded. */
  blocks(): number
  /** Strings of the loaded sources. */
  words(): string[]
  /** Forgets what ran. */
  reset(): void
  /** Returns a number for each block that ran since `reset`, which also says about how often. */
  features(): number[]
}

/** @param blocks returns how many of the counters are used */
export function createCoverage(counts: Uint8Array, blocks: () => number, words: () => string[]): Coverage {
  const four = new Uint32Array(counts.buffer)
  return {
    blocks,
    words,
    reset: () => void counts.fill(0, 0, blocks()),
    features() {
      const found: number[] = []
      const end = Math.ceil(blocks() / 4)
      for (let at = 0; at < end; at += 1) {
        if (four[at] === 0) continue
        for (let each = at * 4; each < at * 4 + 4; each += 1) {
          const count = counts[each] ?? 0
          if (count > 0) found.push(each * 8 + stepOf(count))
        }
      }
      return found
    },
  }
}

/** How often a block ran, in steps that double: a loop's first and second time differ, its 90th and 91st do not. */
function stepOf(count: number): number {
  return 31 - Math.clz32(count)
}
