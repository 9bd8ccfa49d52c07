import type { JobRepository } from '../src/storage/model/jobs.ts'

/** How often the jobs of tests look for due ones. */
export const LOOK_EVERY_MS = 10

/** Jobs of which a test knows when nothing is due anymore. Several nodes may use them. */
export interface WatchedJobs {
  jobs: JobRepository
  /** Resolves once a look that began after the call, while no job ran, found nothing due. */
  settled(): Promise<void>
}

export function watchJobs(stored: JobRepository): WatchedJobs {
  const running = new Set<string>()
  let looks = 0
  let waiting: (() => void)[] = []

  const claim: JobRepository['claim'] = async (options) => {
    // Another look could have taken what this one does not find.
    const asked = running.size === 0 && looks === 0 ? waiting.splice(0) : []
    looks += 1
    const claimed = await stored.claim(options).finally(() => {
      looks -= 1
    })
    for (const job of claimed) running.add(job.key)
    if (running.size === 0 && looks === 0) for (const resolve of asked) resolve()
    else waiting = [...asked, ...waiting]
    return claimed
  }
  const finish: JobRepository['finish'] = (job, ...rest) =>
    stored.finish(job, ...rest).finally(() => running.delete(job.key))

  return {
    jobs: { ...stored, claim, finish },
    settled: () => new Promise((resolve) => waiting.push(resolve)),
  }
}
