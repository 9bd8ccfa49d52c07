import { hoursState } from '@proctorpass/shared/hours'
import type { Storage } from '../storage/model/storage.ts'
import { cachedRead } from './cached-read.ts'
import type { SettingsUseCases } from './settings.ts'

const MINUTE_MS = 60_000
const MEASURED_MS = 14 * 24 * 60 * MINUTE_MS
/** Fewer answers than this say too little. */
const ANSWERS_MIN = 20
/** The number of answers that are read. */
const ANSWERS_MAX = 10_000
/** How long the usual time is remembered. */
const KNOWN_MS = MINUTE_MS
const SWEEP_EVERY_MS = 60 * MINUTE_MS

interface Deps {
  storage: Pick<Storage, 'answers'>
  settings: Pick<SettingsUseCases, 'current'>
  now: () => number
}

export function createAnswerTimes({ storage, settings, now }: Deps) {
  let usual: number | null = null
  let sweptAt = Number.NEGATIVE_INFINITY

  async function store(waitedSince: number, at: number): Promise<void> {
    const { hours } = await settings.current()
    if (!hoursState(hours, waitedSince).open) return
    await storage.answers.add({ at, waitedMs: Math.max(0, at - waitedSince) })
    if (performance.now() - sweptAt < SWEEP_EVERY_MS) return
    sweptAt = performance.now()
    await storage.answers.removeBefore(now() - MEASURED_MS)
  }

  const refresh = cachedRead(async () => {
    try {
      const waits = await storage.answers.waits(now() - MEASURED_MS, ANSWERS_MAX)
      usual = waits.length < ANSWERS_MIN ? null : Math.max(1, Math.round(median(waits) / MINUTE_MS))
    } catch {
      // The store is away, and the last known value is still a likely one.
    }
  }, KNOWN_MS)

  return {
    /**
     * Stores how long a visitor waited for an admin's answer. Waits that began outside the opening hours do not count.
     * Runs in the background and never rejects.
     */
    answered(waitedSince: number, at: number): void {
      // A missing measurement does no harm.
      store(waitedSince, at).catch(() => {})
    },
    /**
     * Returns the usual number of minutes to an answer; null without enough measured ones. Cheap: never rejects, and
     * waits at most a second.
     */
    async waitMinutes(): Promise<number | null> {
      await refresh()
      return usual
    },
  }
}

export type AnswerTimes = ReturnType<typeof createAnswerTimes>

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2
}
