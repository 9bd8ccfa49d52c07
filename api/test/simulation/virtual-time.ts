import type { Random } from '../faults/random.ts'

/**
 * Runs with a clock and chances of a seed in place of the process's. `run` waits for promises only, never for a timer or
 * the system, so that nothing else of this process runs meanwhile.
 */
export async function withVirtualTime<T>(
  random: Random,
  clock: () => number,
  run: () => Promise<T>,
): Promise<T> {
  const { now } = performance
  const { random: chance } = Math
  performance.now = clock
  Math.random = random.next
  try {
    return await run()
  } finally {
    performance.now = now
    Math.random = chance
  }
}
