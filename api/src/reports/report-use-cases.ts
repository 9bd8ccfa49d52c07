import { importNameOf } from '@proctorpass/shared/import-author'
import { REPORT_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import { keyIdOf } from '@proctorpass/shared/schemas/key'
import type {
  Report,
  ReportConversations,
  ReportConversationsQuery,
  ReportFigures,
  ReportQuery,
} from '@proctorpass/shared/schemas/report'
import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import { durationsOf } from '../storage/model/reports/histograms.ts'
import type { Figures, Histograms, SenderFigures } from '../storage/model/reports/report-figures.ts'
import { QUARTER_MS } from '../storage/model/reports/report-parts.ts'
import type { Storage } from '../storage/model/storage.ts'
import { partOf } from './day-figures.ts'
import { createLocalDays } from './local-days.ts'
import { createReadNow, type NowDeps } from './now.ts'
import { boundsOf, type Range, rangeOf } from './report-query.ts'
import { createReportSums } from './report-sums.ts'
import { withNames } from './with-names.ts'

/** How many parts one page of conversations looks through. */
const LOOK_THROUGH_MAX = 2_000

interface ReportDeps extends NowDeps {
  storage: Pick<Storage, 'audit' | 'reports' | 'users' | 'apiKeys' | 'sites' | 'inbox' | 'visitors'>
}

export function createReportUseCases(deps: ReportDeps) {
  const { storage, settings, limits, deriver } = deps
  const { reports } = storage
  const localDays = createLocalDays(reports)
  const sumsOf = createReportSums(localDays)

  async function rangeFor(query: ReportQuery): Promise<Range> {
    const { hours } = await settings.current()
    return rangeOf(query, hours?.timeZone ?? 'UTC')
  }

  async function nameOf(senderId: string, users: ReadonlyMap<string, string>): Promise<string> {
    const key = keyIdOf(senderId)
    if (key !== null) return (await storage.apiKeys.nameOf(key)) ?? senderId
    return users.get(senderId) ?? importNameOf(senderId) ?? senderId
  }

  /** Makes a report. Throws an AppError `invalid-input` for a wrong range or zone. */
  async function report(admin: AdminCaller, query: ReportQuery): Promise<Report> {
    await limits.take('reports', admin.userId)
    const range = await rangeFor(query)
    const isCurrent = await deriver.settle()
    const toFigures = (figures: Figures) => figuresIn(figures, range.time)
    const sums = await sumsOf.of(range, range.dates)
    const previous = await sumsOf.of(range, range.previous)
    const daysOf = (dates: readonly string[]) =>
      sumsOf.byDate(range, dates, range.time, (date, figures) => ({ date, ...toFigures(figures) }))
    const days = await daysOf(range.dates)
    const users = new Map(
      (await storage.users.list()).map((user) => [user._id, user.displayName ?? user.userName]),
    )
    const sites = new Map((await storage.sites.list()).map((site) => [site._id, site.name]))
    const admins = await Promise.all(
      Object.entries(sums.totals.senders ?? {}).map(async ([userId, sender]) => ({
        ...{ userId, name: await nameOf(userId, users) },
        ...sentIn(sender, range.time),
      })),
    )
    const { from, to, zone, time } = range
    return {
      ...{ from, to, zone, time, indexing: !isCurrent },
      totals: toFigures(sums.totals),
      previous: { ...toFigures(previous.totals), days: await daysOf(range.previous) },
      days,
      heat: sums.heat,
      slow: sums.slow[range.time],
      // Admins are sorted by name, so that no figure ranks them.
      admins: admins.sort(by(({ name }) => name)),
      labels: [...sums.labels]
        .map(([label, figures]) => ({ label, ...toFigures(figures) }))
        .sort(by(({ label }) => label)),
      sites: [...sums.sites].map(([site, figures]) => ({
        ...{ site, name: sites.get(site) ?? null },
        ...toFigures(figures),
      })),
    }
  }

  return {
    report,

    /** Adds up a range for the server itself. `isCurrent` is false while something that was stored is not counted yet. */
    async totals(query: ReportQuery): Promise<{ isCurrent: boolean; totals: ReportFigures }> {
      const range = await rangeFor(query)
      const isCurrent = await deriver.settle()
      const { totals } = await sumsOf.of(range, range.dates)
      return { isCurrent, totals: figuresIn(totals, range.time) }
    },

    /** Makes the same report for a file, and adds an entry to the audit log. */
    async exported(admin: AdminCaller, query: ReportQuery): Promise<Report> {
      const made = await report(admin, query)
      await storage.audit.append(auditEntry(admin, 'reports.exported', { details: query }))
      return made
    },

    /** Lists the conversations that a figure counts. Throws as `report` does, and for an hour outside the range. */
    async conversations(
      admin: AdminCaller,
      { at, kind, limit = REPORT_PAGE_DEFAULT, cursor, ...query }: ReportConversationsQuery,
    ): Promise<ReportConversations> {
      await limits.take('reports', admin.userId)
      const range = await rangeFor(query)
      const [start, end] = boundsOf(range, at)
      await deriver.settle()
      const p90 =
        kind === 'slow'
          ? durationsOf(waitsOf((await sumsOf.of(range, range.dates)).totals)[range.time]).p90
          : null
      const found: Omit<ReportConversations['conversations'][number], 'name'>[] = []
      const [from = start / QUARTER_MS, offset = 0, skip = 0] = cursor?.split('.').map(Number) ?? []
      const until = Math.ceil(end / QUARTER_MS)
      const rows = await reports.parts(Math.max(from, Math.floor(start / QUARTER_MS)), until, {
        ...{ offset, limit: LOOK_THROUGH_MAX },
      })
      for (const [index, row] of rows.entries()) {
        const { group, part } = partOf(row)
        if (!range.includes(group)) continue
        const candidates =
          kind === 'slow'
            ? part.waits.map((wait) => ({ at: wait.at, seconds: wait[range.time] / 1_000 }))
            : part.episodes
                .filter(({ missed }) => kind === 'episodes' || missed)
                .map((episode) => ({ at: episode.at, seconds: null }))
        const shown = candidates.filter(({ seconds }) => seconds === null || (p90 !== null && seconds > p90))
        for (const [place, { at: began, seconds }] of shown.entries()) {
          if (index === 0 && place < skip) continue
          if (found.length === limit) {
            return {
              conversations: await withNames(storage, found),
              next: `${from}.${offset + index}.${place}`,
            }
          }
          found.push({ clientId: row.clientId, at: new Date(began).toISOString(), seconds })
        }
      }
      const isLast = rows.length < LOOK_THROUGH_MAX
      return {
        conversations: await withNames(storage, found),
        next: isLast ? null : `${from}.${offset + rows.length}.0`,
      }
    },

    now: createReadNow(deps, localDays),

    /** Forgets the days' sums in memory, which contain labels. Once a conversation is erased, they are read again. */
    forgetSums(): void {
      localDays.forgetAll()
      sumsOf.forgetAll()
    },
  }
}

export type ReportUseCases = ReturnType<typeof createReportUseCases>

const NO_HISTOGRAMS: Histograms = { clock: {}, open: {} }
const waitsOf = ({ wait = NO_HISTOGRAMS }: Figures) => wait

function sentIn({ messagesOut = 0, firstWait, wait }: SenderFigures, time: Range['time']) {
  return {
    messagesOut,
    firstWait: durationsOf(firstWait?.[time] ?? {}),
    wait: durationsOf(wait?.[time] ?? {}),
  }
}

function figuresIn(figures: Figures, time: Range['time']): ReportFigures {
  const { conversations = 0, episodes = 0, resolved = 0, missed = 0, messagesIn = 0, resolution } = figures
  const { scores = [0, 0, 0, 0, 0] } = figures
  const n = scores.reduce((sum, count) => sum + count, 0)
  const sum = scores.reduce((total, count, index) => total + count * (index + 1), 0)
  return {
    ...{ conversations, episodes, resolved, missed, messagesIn },
    ...sentIn(figures, time),
    resolution: durationsOf(resolution?.[time] ?? {}),
    ratings: { n, mean: n === 0 ? null : Math.round((sum / n) * 100) / 100, scores },
  }
}

function by<T>(nameOf: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => nameOf(a).localeCompare(nameOf(b), 'en')
}
