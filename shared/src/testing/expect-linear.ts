/** Ascending: cubic work fails at a short length, before it takes minutes. */
const LENGTHS = [200, 4_000, 100_000]
const ATTEMPTS = 5
/** Quadratic work on 100,000 characters takes some thousand times as long as linear work. */
const RATIO_MAX = 20
/** What a garbage collection may add. */
const SLACK_MS = 100

/**
 * Throws when `run` takes far longer for a hostile text than for a benign one of the same length, each at its best of
 * several attempts. Errors of `run` are ignored.
 */
export function expectLinear(
  run: (text: string) => unknown,
  benign: (length: number) => string,
  hostile: (length: number) => string,
): void {
  for (const length of LENGTHS) {
    const texts = { benign: benign(length), hostile: hostile(length) }
    const best = { benign: Number.POSITIVE_INFINITY, hostile: Number.POSITIVE_INFINITY }
    const isLinear = () => best.hostile <= best.benign * RATIO_MAX + SLACK_MS
    for (let attempt = 0; attempt < ATTEMPTS && (attempt === 0 || !isLinear()); attempt += 1) {
      best.benign = Math.min(best.benign, elapsed(run, texts.benign))
      best.hostile = Math.min(best.hostile, elapsed(run, texts.hostile))
      // No garbage collection explains this: more attempts only take longer.
      if (best.hostile > 20 * (best.benign * RATIO_MAX + SLACK_MS)) break
    }
    if (!isLinear()) {
      const [slow, quick] = [best.hostile, best.benign]
      throw new Error(`${length} characters: ${slow} ms for hostile text, ${quick} ms for benign text`)
    }
  }
}

/** Makes texts of about `length` characters: `start`, `part` repeated, `end`. */
export function repeated(part: string, start = '', end = '!'): (length: number) => string {
  return (length) => start + part.repeat(Math.ceil(length / part.length)) + end
}

/** Milliseconds of this thread's processor: other processes do not count. */
function elapsed(run: (text: string) => unknown, text: string): number {
  const started = process.threadCpuUsage()
  try {
    run(text)
  } catch {
    // A refusal counts like a result.
  }
  const { user, system } = process.threadCpuUsage(started)
  return (user + system) / 1_000
}
