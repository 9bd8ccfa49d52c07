const EVERY_MS = 60 * 60 * 1_000
/** Longer than most outages and elections. */
const SOON_MS = 30_000

/**
 * Opens the timers of the sweep, which runs in the background: at the start, every hour, and 30 seconds after `soon` was
 * called or a sweep failed.
 */
export function openSweeping(sweep: () => Promise<unknown>) {
  let hourly: NodeJS.Timeout | undefined
  let next: NodeJS.Timeout | undefined
  let isStopped = false

  function soon(): void {
    if (isStopped) return
    next ??= setTimeout(() => {
      next = undefined
      run()
    }, SOON_MS).unref()
  }
  const run = () => void sweep().catch(soon)

  return {
    soon,

    start(): void {
      run()
      hourly = setInterval(run, EVERY_MS).unref()
    },

    stop(): void {
      isStopped = true
      clearInterval(hourly)
      clearTimeout(next)
    },
  }
}
