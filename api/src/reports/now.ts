import { offsetsOf } from '@proctorpass/shared/hours'
import { NOW_WAITING_MAX } from '@proctorpass/shared/limits'
import type { Now } from '@proctorpass/shared/schemas/report'
import type { AdminCaller } from '../auth/caller.ts'
import type { TeamUseCases } from '../auth/team.ts'
import type { Limits } from '../limits/limits.ts'
import type { SettingsUseCases } from '../settings/settings.ts'
import { addHistogram, durationsOf, type Histogram } from '../storage/model/reports/histograms.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Deriver } from './deriver.ts'
import type { LocalDays } from './local-days.ts'
import { addDays } from './report-query.ts'
import { withNames } from './with-names.ts'

/** How many earlier days with the same weekday are read, because one day alone has few first waits. */
const WEEKS = 4

export interface NowDeps {
  storage: Pick<Storage, 'inbox' | 'visitors'>
  team: Pick<TeamUseCases, 'list'>
  settings: Pick<SettingsUseCases, 'current'>
  limits: Pick<Limits, 'take'>
  deriver: Pick<Deriver, 'settle'>
  /** Counts on all nodes. Returns null while browsers poll. */
  visitorsOnline: () => number | null
  now: () => number
}

/**
 * Creates a function that reads who waits from the inbox, and first waits from the figures. Nothing extra is stored for
 * it.
 */
export function createReadNow(
  { storage, team, settings, limits, deriver, visitorsOnline, now }: NowDeps,
  localDays: LocalDays,
): (admin: AdminCaller) => Promise<Now> {
  async function firstWaits(): Promise<Now['firstWait']> {
    const { hours } = await settings.current()
    const zone = hours?.timeZone ?? 'UTC'
    const today = now()
    const date = new Date(today + offsetsOf(zone)(today)).toISOString().slice(0, 10)
    const before = Array.from({ length: WEEKS }, (_, index) => addDays(date, 7 * (index - WEEKS)))
    const durations = async (dates: readonly string[]) => {
      const sum: Histogram = {}
      for (const each of dates) {
        const parts = await localDays.on(zone, each, await localDays.revisions([each]))
        const groups = parts.flatMap((part) => part.groups)
        for (const { figures } of groups) addHistogram(sum, figures.firstWait?.clock ?? {})
      }
      return durationsOf(sum)
    }
    return { date, zone, ...(await durations([date])), weekday: await durations(before) }
  }

  return async (admin) => {
    await limits.take('now', admin.userId)
    await deriver.settle()
    const [{ open, waiting, longest }, { admins }, firstWait] = await Promise.all([
      storage.inbox.now(NOW_WAITING_MAX),
      team.list(admin),
      firstWaits(),
    ])
    const conversations = await withNames(
      storage,
      longest.map(({ clientId, since }) => ({ clientId, since: new Date(since).toISOString() })),
    )
    return {
      waiting: { count: waiting, longestSince: conversations[0]?.since ?? null, conversations },
      open,
      visitorsOnline: visitorsOnline(),
      adminsOnline: admins.filter(({ online }) => online).length,
      onDuty: admins.filter(({ onDuty, disabled, invited }) => onDuty && !disabled && !invited).length,
      firstWait,
    }
  }
}
