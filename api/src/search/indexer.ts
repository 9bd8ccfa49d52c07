import { setTimeout as wait } from 'node:timers/promises'
import { createBatches } from '../jobs/batches.ts'
import { newId } from '../storage/model/ids.ts'
import type { StaleCursor } from '../storage/model/search.ts'
import type { Storage } from '../storage/model/storage.ts'
import { indexSome, type OwnerKind } from './index-owners.ts'

/** The time from a change to its indexing, so that a moment's changes share a commit. A search does not wait for it. */
const WAIT_MS = 1_000
/** More changes a second than this are traffic that the index must not slow down. */
const BUSY_PER_SECOND = 50
/** A search waits for the newest changes at most this long. */
const SETTLE_MS = 1_000
/** The pause after a batch, as a multiple of the batch's time. */
const PAUSE = { quiet: 1, busy: 40 }
const PAUSE_MIN_MS = 5
/** If more owners than this have changed, they are found by comparing all. */
const CHANGED_MAX = 20_000
/** How often the index is compared with the store, to find the changes that another process left when it died. */
const COMPARE_EVERY_MS = 5 * 60_000
/**
 * How far back a comparison looks: as far as clocks may differ, and longer than the sweep takes to finish what a
 * process left half done.
 */
const COMPARE_BACK_MS = 2 * 60 * 60_000
const RETRY_MS = 10_000
const LEASE_MS = 30_000
/** Fewer conversations than this are what a process left when it died: the index lacks them, but is not being built. */
const BUILT_FROM = 20
const LOG_EVERY_MS = 10_000

export type IndexerLog = Record<'info' | 'error', (details: object, message: string) => void>

interface IndexerDeps {
  storage: Storage
  now: () => number
}

/**
 * Keeps the search index up to date, in the background and in small batches, so that storing a message costs nothing
 * more. Comparing the index with the store shows what to index, so that no process has to remember it.
 */
export function createIndexer({ storage, now }: IndexerDeps) {
  const holder = newId()
  let log: IndexerLog = { info() {}, error() {} }
  /** The owners that this process changed. */
  const changed = new Map<string, OwnerKind>()
  /** The owners that comparing found. */
  const stale = new Map<string, OwnerKind>()
  /** The cursor at which comparing continues; null if it is done. */
  let comparing: StaleCursor | 'start' | null = null
  /** Comparing looks at changes since this time; 0 for all. */
  let since = 0
  /** The last request for a comparison of everything that this process has followed. */
  let asked: string | undefined
  let comparingFrom = 0
  let complete = false
  let compareTimer: NodeJS.Timeout | undefined
  /** A batch of changes that has not begun. */
  let settling: Promise<true | undefined> | undefined
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

  const { schedule, exclusively, close } = createBatches({
    step,
    pause: (more, tookMs) =>
      more ? Math.max(PAUSE_MIN_MS, tookMs * (traffic.isBusy() ? PAUSE.busy : PAUSE.quiet)) : null,
    log: () => log,
    failure: "the search index couldn't be updated",
  })

  function compareAll(inMs = 0): void {
    if (closed) return
    clearTimeout(compareTimer)
    compareTimer = setTimeout(() => {
      comparing ??= 'start'
      compareAll(COMPARE_EVERY_MS)
      schedule(0)
    }, inMs).unref()
  }

  /** Runs one batch. Resolves to whether there is more to do. */
  async function step(): Promise<boolean> {
    if (changed.size > 0) await indexSome(storage, changed)
    else if (stale.size > 0) {
      if (progress.since > 0 || stale.size >= BUILT_FROM) logProgress()
      progress.owners += await indexSome(storage, stale)
    } else if (comparing !== null) await compareSome(comparing)
    return changed.size > 0 || stale.size > 0 || comparing !== null
  }

  async function compareSome(from: StaleCursor | 'start'): Promise<void> {
    if (from === 'start') comparingFrom = now()
    const lease = await storage.search.lease(holder, now(), LEASE_MS)
    complete ||= lease.complete
    if (from === 'start' && lease.mine && lease.asked !== asked) {
      if (asked !== undefined) since = 0
      asked = lease.asked
    }
    const isCompared = since > 0 && Math.abs(now() - lease.comparedAt) < COMPARE_EVERY_MS
    if (!lease.mine || isCompared) {
      // Another node is comparing, or has done so.
      comparing = null
      if (!complete) compareAll(RETRY_MS)
      return
    }
    const found = await storage.search.stale(from === 'start' ? null : from, since)
    for (const owner of found.conversations) stale.set(owner, 'conversation')
    for (const owner of found.contacts) stale.set(owner, 'contact')
    comparing = found.next
    if (comparing !== null || stale.size > 0) return
    await storage.search.completed(now())
    since = comparingFrom - COMPARE_BACK_MS
    if (progress.since > 0) {
      const seconds = Math.round((performance.now() - progress.since) / 1_000)
      log.info({ indexed: progress.owners, seconds }, 'search index built')
      progress.since = 0
      progress.owners = 0
    }
    complete = true
  }

  return {
    start(logger: IndexerLog): void {
      log = logger
      compareAll()
    },

    /** Call this when something of this owner's was stored, changed, or erased. */
    changed(owner: string, kind: OwnerKind): void {
      traffic.count()
      if (changed.size >= CHANGED_MAX) {
        changed.clear()
        stale.clear()
        since = 0
        comparing = 'start'
      } else changed.set(owner, kind)
      schedule(WAIT_MS)
    },

    /**
     * Indexes the newest changes now, for at most SETTLE_MS. All callers that wait share the work. Resolves to false
     * while changes wait to be indexed, or the index is being built.
     */
    async settle(): Promise<boolean> {
      // This also waits for the running batch. A batch that has not begun will contain what all its waiting callers
      // have stored.
      settling ??= exclusively(async () => {
        settling = undefined
        if (changed.size > 0) await indexSome(storage, changed)
        return true as const
      })
      const timeout = new AbortController()
      const late = wait(SETTLE_MS, false, { signal: timeout.signal, ref: false }).catch(() => false)
      const isSettled = await Promise.race([settling, late])
      timeout.abort()
      return isSettled === true && complete && changed.size === 0 && stale.size === 0
    },

    async close(): Promise<void> {
      closed = true
      clearTimeout(compareTimer)
      await close()
    },
  }
}

export type Indexer = ReturnType<typeof createIndexer>

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
