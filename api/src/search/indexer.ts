import { AppError } from '@proctorpass/shared/errors'
import { newId } from '../storage/ids.ts'
import type { StaleCursor } from '../storage/search.ts'
import type { Storage } from '../storage/storage.ts'
import { indexSome, type OwnerKind } from './index-owners.ts'

/** From a change to its indexing: long enough for the changes of a moment to share a commit. */
const WAIT_MS = 100
/** More changes a second than this are traffic that the index must not slow down. */
const BUSY_PER_SECOND = 50
/** The pause after a batch, in times of what it took. */
const PAUSE = { quiet: 1, busy: 40 }
const PAUSE_MIN_MS = 5
/** Changed owners beyond this are found by comparing all. */
const CHANGED_MAX = 20_000
/** Finds what a process left behind when it died, and what could not be written. */
const COMPARE_EVERY_MS = 5 * 60_000
const RETRY_MS = 10_000
const LEASE_MS = 30_000
const LOG_EVERY_MS = 10_000

export type IndexerLog = Record<'info' | 'error', (details: object, message: string) => void>

/**
 * Keeps the search index up to date, in the background and in small batches: storing a message costs nothing more. What
 * to index follows from comparing the index with what is stored, so that no process has to remember it.
 */
export interface Indexer {
  start(log: IndexerLog): void
  /** Something of this owner was stored, changed or erased. */
  changed(owner: string, kind: OwnerKind): void
  /** Indexes the newest changes now. False while others wait, or the index is being built. */
  settle(): Promise<boolean>
  close(): Promise<void>
}

interface IndexerDeps {
  storage: Storage
  now: () => number
}

export function createIndexer({ storage, now }: IndexerDeps): Indexer {
  const holder = newId()
  let log: IndexerLog = { info() {}, error() {} }
  /** Changed by this process. */
  const changed = new Map<string, OwnerKind>()
  /** Found by comparing. */
  const stale = new Map<string, OwnerKind>()
  /** Where comparing continues; null when it is done. */
  let comparing: StaleCursor | 'start' | null = null
  let complete = false
  let timer: NodeJS.Timeout | undefined
  let compareTimer: NodeJS.Timeout | undefined
  let running: Promise<unknown> = Promise.resolve()
  let closed = false

  const traffic = createTraffic()

  const progress = { owners: 0, since: 0, loggedAt: 0 }
  function logProgress(): void {
    if (progress.since === 0) {
      progress.since = performance.now()
      log.info({}, 'building the search index')
    } else if (performance.now() - progress.loggedAt < LOG_EVERY_MS) return
    else log.info({ indexed: progress.owners }, 'building the search index')
    progress.loggedAt = performance.now()
  }

  function schedule(ms: number): void {
    if (closed || timer !== undefined) return
    timer = setTimeout(async () => {
      const from = performance.now()
      const more = await exclusively(step)
      timer = undefined
      if (!more) return
      const took = performance.now() - from
      schedule(Math.max(PAUSE_MIN_MS, took * (traffic.isBusy() ? PAUSE.busy : PAUSE.quiet)))
    }, ms)
    timer.unref()
  }

  function compareAll(inMs = 0): void {
    if (closed) return
    clearTimeout(compareTimer)
    compareTimer = setTimeout(() => {
      comparing ??= 'start'
      compareAll(COMPARE_EVERY_MS)
      schedule(0)
    }, inMs).unref()
  }

  /** One batch after the other. */
  function exclusively<T>(run: () => Promise<T>): Promise<T | false> {
    const result = running.then(async () => {
      if (closed) return false
      try {
        return await run()
      } catch (error) {
        // The store reports its own outages.
        const isOutage = error instanceof AppError && error.code === 'unavailable'
        if (!isOutage) log.error({ err: error }, "the search index couldn't be updated")
        stale.clear()
        comparing = null
        compareAll(RETRY_MS)
        return false
      }
    })
    running = result
    return result
  }

  /** Whether there is more to do. */
  async function step(): Promise<boolean> {
    if (changed.size > 0) await indexSome(storage, changed)
    else if (stale.size > 0) {
      logProgress()
      progress.owners += await indexSome(storage, stale)
    } else if (comparing !== null) await compareSome(comparing)
    return changed.size > 0 || stale.size > 0 || comparing !== null
  }

  async function compareSome(from: StaleCursor | 'start'): Promise<void> {
    const lease = await storage.search.lease(holder, now(), LEASE_MS)
    complete ||= lease.complete
    if (!lease.mine) {
      // Another node builds the index.
      comparing = null
      if (!complete) compareAll(RETRY_MS)
      return
    }
    const found = await storage.search.stale(from === 'start' ? null : from)
    for (const owner of found.conversations) stale.set(owner, 'conversation')
    for (const owner of found.contacts) stale.set(owner, 'contact')
    comparing = found.next
    if (comparing !== null || stale.size > 0) return
    await storage.search.completed()
    if (progress.since > 0) {
      const seconds = Math.round((performance.now() - progress.since) / 1_000)
      log.info({ indexed: progress.owners, seconds }, 'search index built')
      progress.since = 0
      progress.owners = 0
    }
    complete = true
  }

  return {
    start(logger) {
      log = logger
      compareAll()
    },

    changed(owner, kind) {
      traffic.count()
      if (changed.size >= CHANGED_MAX) {
        changed.clear()
        stale.clear()
        comparing = 'start'
      } else changed.set(owner, kind)
      schedule(WAIT_MS)
    },

    async settle() {
      // Also waits for the batch under way.
      await exclusively(async () => changed.size > 0 && (await indexSome(storage, changed)))
      return complete && changed.size === 0 && stale.size === 0
    },

    async close() {
      closed = true
      clearTimeout(timer)
      clearTimeout(compareTimer)
      await running
    },
  }
}

/** Counts changes in whole seconds. */
function createTraffic() {
  let second = 0
  let current = 0
  let before = 0
  const now = () => Math.floor(performance.now() / 1_000)
  return {
    count() {
      const at = now()
      if (at !== second) {
        before = at === second + 1 ? current : 0
        second = at
        current = 0
      }
      current += 1
    },
    isBusy: () => now() - second < 2 && Math.max(current, before) > BUSY_PER_SECOND,
  }
}
