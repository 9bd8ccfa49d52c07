import { setTimeout as wait } from 'node:timers/promises'
import { type BatchesLog, createBatches } from '../jobs/batches.ts'
import { withoutEntry } from '../storage/model/audit.ts'
import { isCurrent } from '../storage/model/reports/report-figures.ts'
import { hoursPeriods } from '../storage/model/reports/report-parts.ts'
import type { ReportHead, ReportProgress, ReportRepository } from '../storage/model/reports/report-tables.ts'
import type { Storage, StoredChange } from '../storage/model/storage.ts'
import { type DayFigures, dayOf, firstQuarterOf } from './day-figures.ts'
import { createRests, deriveParts, type MayRest, markDirty, sumDay } from './derive.ts'

/**
 * The time from a change to its figures. Changes in this time share the sums, and a conversation that changed several
 * times is derived once. A report does not wait for it.
 */
const WAIT_MS = 15_000
/** An erased conversation's labels stay in the sums for this long, and for a round. */
const PURGE_AFTER_MS = 1_000
/** A report waits for the newest changes at most this long. */
const SETTLE_MS = 1_000
/** The most conversations and days in one batch. */
const AT_ONCE = 50
const DAYS_AT_ONCE = 4
/** How many conversations are compared at once, which takes some milliseconds. */
const COMPARE_AT_ONCE = 500
/**
 * How often the store is compared, to find what another process left when it died, and what it changed without its
 * figures.
 */
const COMPARE_EVERY_MS = 10 * 60_000
/** How often to look for episodes that have waited too long without a change. */
const DUE_EVERY_MS = 60_000
/** The pause after a batch, as a multiple of the batch's time, because messages go first. */
const PAUSE = 2
/**
 * The pause after a round, as a multiple of its batches' time, so that long conversations that change all the time are
 * read less often.
 */
const ROUND_PAUSE = 50
const MAX_ROUND_PAUSE_MS = 30_000
/** The stored changes on which figures depend. */
const FOLLOWED: ReadonlySet<StoredChange['kind']> = new Set(['message', 'inbox', 'rating', 'unknown'])

interface DeriverDeps {
  storage: Pick<Storage, 'reports' | 'documents'>
  now: () => number
  /** Called when days' sums have changed. */
  onSums?: () => void
  /** Called when the store's sums no longer contain erased conversations' labels. */
  onPurge?: () => void
}

/**
 * Keeps the reports' figures up to date, in the background and in small batches, so that storing a message costs
 * nothing more. It finds its work by comparing the figures with the store, so that no process has to remember it.
 */
export function createDeriver(deps: DeriverDeps) {
  const { now, onSums, onPurge } = deps
  const { reports, documents } = deps.storage
  let log: BatchesLog = { error() {} }
  /** The conversations for the next round. */
  let changed = new Set<string>()
  /**
   * The conversations that the running round still has to derive before it makes the sums. Undefined between rounds.
   */
  let round: Set<string> | undefined
  let roundMs = 0
  /** Whether all conversations were compared since the start. */
  let complete = false
  let comparing = false
  /** Whether a conversation was erased and old sums may have its labels. */
  let mustPurge = false
  let settling: Promise<void> | undefined
  const intervals: NodeJS.Timeout[] = []
  const mayRest = createRests()

  const { schedule, expedite, exclusively, close } = createBatches({
    step,
    pause(more, tookMs) {
      roundMs += tookMs
      if (more) return Math.max(1, tookMs * PAUSE)
      const pause = Math.min(Math.max(WAIT_MS, roundMs * ROUND_PAUSE), MAX_ROUND_PAUSE_MS)
      roundMs = 0
      if (mustPurge) return PURGE_AFTER_MS
      return changed.size > 0 ? pause : null
    },
    log: () => log,
    failure: "the figures of reports couldn't be updated",
  })

  /** Runs one batch. Resolves to whether the round has more to do. */
  async function step(): Promise<boolean> {
    if (comparing) await compareAll()
    if (round === undefined) [round, changed] = [changed, new Set()]
    if (round.size > 0) await deriveSome(round)
    // The sums come last, so that an old store's sums are made once.
    if (round.size > 0 || (await sumSome())) return true
    round = undefined
    return false
  }

  async function deriveSome(waiting: Set<string>): Promise<void> {
    const periods = hoursPeriods((await documents.read('settings'))?.value)
    const batch = [...waiting].slice(0, AT_ONCE)
    for (const clientId of batch) waiting.delete(clientId)
    try {
      for (const clientId of await deriveParts(reports, batch, { periods, now: now(), mayRest }))
        changed.add(clientId)
    } catch (error) {
      for (const clientId of batch) changed.add(clientId)
      throw error
    }
  }

  async function sumSome(): Promise<boolean> {
    const days = await reports.dirtyDays(DAYS_AT_ONCE)
    await Promise.all(days.map((day) => sumDay(reports, day, mayRest)))
    if (days.length > 0) {
      onSums?.()
      return true
    }
    if (!mustPurge) return false
    // The flag is cleared before the purge, because a conversation that is erased in the meantime needs another purge.
    mustPurge = false
    await reports.purge().catch((error: unknown) => {
      mustPurge = true
      throw error
    })
    onPurge?.()
    return false
  }

  async function compareAll(): Promise<void> {
    await compareStore(reports, mayRest, (clientId) => changed.add(clientId))
    comparing = false
    complete = true
  }

  async function deriveAll(): Promise<void> {
    comparing = true
    await findDue()
    while ((await step()) || changed.size > 0);
  }

  async function findDue(): Promise<void> {
    for (const { clientId } of await reports.due(now(), COMPARE_AT_ONCE)) changed.add(clientId)
  }

  async function settleNow(): Promise<void> {
    await exclusively(() => {
      settling = undefined
      return findDue()
    })
    for (const until = performance.now() + SETTLE_MS; performance.now() < until; ) {
      const more = await exclusively(step)
      if (!more && changed.size === 0) break
    }
  }

  /** Schedules deriving the figures of a conversation in which something was stored or changed. */
  function conversationChanged(clientId: string): void {
    changed.add(clientId)
    schedule(WAIT_MS)
  }

  /**
   * Derives the conversation if its parts are old, also after another node's change, then marks the quarter-hours that it
   * is in, and returns them.
   */
  async function markQuartersOf(clientId: string): Promise<number[]> {
    if (!(await isDerived(reports, clientId, now()))) {
      const periods = hoursPeriods((await documents.read('settings'))?.value)
      await deriveParts(reports, [clientId], { periods, now: now(), mayRest })
    }
    return markParts(reports, clientId)
  }

  async function erased(clientId: string, quarters: readonly number[]): Promise<void> {
    changed.add(clientId)
    await markDirty(reports, quarters)
    // If this was set earlier, a batch that runs before would purge while the old sums stand.
    mustPurge = true
    expedite(PURGE_AFTER_MS)
  }

  const waits = () => changed.size > 0 || (round?.size ?? 0) > 0
  const isComplete = async () => complete && !waits() && (await reports.dirtyDays(1)).length === 0

  return {
    start(logger: BatchesLog): void {
      log = logger
      comparing = true
      schedule(0)
      const every = (ms: number, look: () => void) => intervals.push(setInterval(look, ms).unref())
      every(COMPARE_EVERY_MS, () => {
        comparing = true
        schedule(0)
      })
      every(DUE_EVERY_MS, () => void exclusively(findDue).then(() => schedule(0)))
    },

    changed: conversationChanged,

    /** Follows what this process stores. `keepFigures` follows what it erases. */
    stored(change: StoredChange): void {
      if (FOLLOWED.has(change.kind) && 'clientId' in change) conversationChanged(change.clientId)
    },

    /**
     * Erases a conversation with `erase`, and keeps what it added to the figures, without its name. Its days are marked
     * before, because a process that dies behind the erase would leave its labels in their sums, and after it, because
     * another node may have made the sums in the meantime. An erase that another process began counts, too. The audit
     * log may show the conversation as erased only once it is, so `erase` stores the due entry.
     */
    async keepFigures(clientId: string, erase: () => Promise<boolean>): Promise<boolean> {
      const quarters = await withoutEntry(() => markQuartersOf(clientId)).catch(() => [])
      const isErased = await erase()
      const mark = () => (isErased ? erased(clientId, quarters) : markDirty(reports, quarters))
      await withoutEntry(mark).catch(() => {})
      return isErased
    },

    /** Derives what waits, for at most SETTLE_MS. Resolves to false while something waits. */
    async settle(): Promise<boolean> {
      settling ??= settleNow()
      const timeout = new AbortController()
      const late = wait(SETTLE_MS, undefined, { signal: timeout.signal, ref: false }).catch(() => {})
      await Promise.race([settling, late])
      timeout.abort()
      return isComplete()
    },

    /** Derives everything that is stored. */
    async derive(): Promise<void> {
      const isDone = await exclusively(() => deriveAll().then(() => true))
      if (!isDone) throw new Error("The figures of reports couldn't be derived.")
    },

    async close(): Promise<void> {
      for (const interval of intervals) clearInterval(interval)
      await close()
    },
  }
}

async function isDerived(reports: ReportRepository, clientId: string, now: number): Promise<boolean> {
  const head = await reports.head(clientId)
  const progress = await reports.progressOf(clientId)
  return head !== null && progress !== null && isCurrent(head, progress, now)
}

async function markParts(reports: ReportRepository, clientId: string): Promise<number[]> {
  const quarters = await reports.quartersOf(clientId)
  await markDirty(reports, quarters)
  return quarters
}

export type Deriver = ReturnType<typeof createDeriver>

/** Finds conversations whose parts are old, and marks quarter-hours that lack kept figures. */
async function compareStore(
  reports: ReportRepository,
  mayRest: MayRest,
  found: (clientId: string) => void,
): Promise<void> {
  for (let after = ''; ; ) {
    const heads = await reports.heads(after, COMPARE_AT_ONCE)
    const last = heads.length < COMPARE_AT_ONCE ? null : (heads.at(-1)?.clientId ?? null)
    for (const clientId of staleIn(heads, await reports.progress(after, last))) found(clientId)
    if (last === null) break
    after = last
    await wait(1)
  }
  await compareKept(reports, mayRest)
}

function staleIn(heads: readonly ReportHead[], progress: readonly ReportProgress[]): string[] {
  const left = new Map(progress.map((row) => [row.clientId, row]))
  const stale = heads.filter(({ clientId, epoch, seq, n }) => {
    const known = left.get(clientId)
    left.delete(clientId)
    if (seq === 0) return known !== undefined
    return known?.epoch !== epoch || known.seq < seq || known.n < n
  })
  return [...stale.map(({ clientId }) => clientId), ...left.keys()]
}

/** Marks quarter-hours that lack kept figures. */
async function compareKept(reports: ReportRepository, mayRest: MayRest): Promise<void> {
  const counts = new Map<number, number>()
  // The next page begins with the last quarter-hour again, and leaves out that quarter-hour's rows that were counted.
  for (let from = 0, offset = 0; ; ) {
    const found = await reports.kept(from, { offset, limit: COMPARE_AT_ONCE })
    for (const { quarter } of found) counts.set(quarter, (counts.get(quarter) ?? 0) + 1)
    if (found.length < COMPARE_AT_ONCE) break
    from = found.at(-1)?.quarter ?? 0
    offset = counts.get(from) ?? 0
    await wait(1)
  }
  for (const [day, quarters] of Map.groupBy(counts.keys(), dayOf)) {
    await mayRest()
    const figures = JSON.parse((await reports.day(day))?.data ?? '{}') as DayFigures
    const first = firstQuarterOf(day)
    const old = quarters.filter((quarter) => figures[quarter - first]?.kept !== counts.get(quarter))
    if (old.length > 0) await markDirty(reports, old)
  }
}
