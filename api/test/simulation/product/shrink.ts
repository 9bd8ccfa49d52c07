import { type Outcome, simulateProduct } from './simulate.ts'

/**
 * Finds few faults that still lead to a violation: it leaves out halves, quarters, and so on, and keeps what is needed.
 * Each attempt is a whole run, so it ends after `ms`.
 */
export async function shrink(
  { seed, steps, faults }: Outcome & { steps: number },
  ms: number,
): Promise<Outcome> {
  const until = performance.now() + ms
  const run = (some: readonly number[]) => simulateProduct({ seed, steps, faults: new Set(some) })
  let found = await run(faults)
  let kept = faults
  for (let size = Math.ceil(kept.length / 2); size >= 1 && performance.now() < until; ) {
    let hasShrunk = false
    for (let from = 0; from < kept.length && performance.now() < until; ) {
      const rest = [...kept.slice(0, from), ...kept.slice(from + size)]
      const outcome = await run(rest)
      if (outcome.violations.length > 0) {
        found = outcome
        // What no longer happens is not needed either.
        kept = outcome.faults
        hasShrunk = true
      } else from += size
    }
    if (size === 1 && !hasShrunk) break
    size = Math.max(1, Math.ceil(size / 2))
  }
  return found
}
