import { AppError } from '@proctorpass/shared/errors'
import { offsetsOf } from '@proctorpass/shared/hours'
import { REPORT_DAYS_MAX } from '@proctorpass/shared/limits'
import type { Answered, AnsweredQuery, Suggestions } from '@proctorpass/shared/schemas/suggestion'
import type { ServerEntry } from '@proctorpass/shared/ssr'
import type { AdminCaller } from '../auth/caller.ts'
import type { Limits } from '../limits/limits.ts'
import type { SettingsUseCases } from '../settings/settings.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Deriver } from './deriver.ts'
import { createQuestions } from './questions.ts'
import { boundsOf, DAY_MS, rangeOf } from './report-query.ts'

/** How many counts are read at once, which takes about 5 ms. */
const COUNTS_AT_ONCE = 1_000
const PAGES_MAX = 100
const SWEEP_EVERY_MS = 60 * 60 * 1_000
/** Points in the limit `reports`, because the search takes as long as some reports. */
const ANSWERED_POINTS = 4

interface Deps {
  storage: Pick<Storage, 'blogs' | 'suggestions' | 'reports' | 'messages'>
  settings: Pick<SettingsUseCases, 'current'>
  limits: Pick<Limits, 'take'>
  deriver: Pick<Deriver, 'settle'>
  /** Resolves to null if another server has the pages. No words are found then. */
  pageEntry: () => Promise<ServerEntry | null>
  /** Returns the pages that the chat suggests in English. */
  suggestedPages: () => Promise<Suggestions>
  now: () => number
}

export function createSuggestions(deps: Deps) {
  const { storage, settings, limits, pageEntry, suggestedPages, now } = deps
  const questionsIn = createQuestions(deps)
  let sweptAt = Number.NEGATIVE_INFINITY

  async function zone(): Promise<string> {
    return (await settings.current()).hours?.timeZone ?? 'UTC'
  }

  async function dayIn(time: number): Promise<string> {
    return new Date(time + offsetsOf(await zone())(time)).toISOString().slice(0, 10)
  }

  /** Returns a page's title; null for a page that does not exist. */
  async function titleOf(pages: Suggestions['pages'], path: string): Promise<string | null> {
    const page = pages.find((each) => each.path === path)
    if (page) return page.title
    const slug = /^\/blog\/(.+)$/.exec(path)?.[1]
    return slug === undefined ? null : ((await storage.blogs.findBySlug(slug))?.title ?? null)
  }

  /** Returns the counts by path. */
  async function countsIn(from: string, to: string) {
    const pages = new Map<string, { opened: number; asked: number }>()
    for (let offset = 0; ; offset += COUNTS_AT_ONCE) {
      const rows = await storage.suggestions.list(from, to, { offset, limit: COUNTS_AT_ONCE })
      for (const { _id, opened, asked } of rows) {
        const [path = ''] = _id.split(' ')
        const sum = pages.get(path) ?? { opened: 0, asked: 0 }
        pages.set(path, { opened: sum.opened + opened, asked: sum.asked + asked })
      }
      if (rows.length < COUNTS_AT_ONCE) return pages
      await new Promise(setImmediate)
    }
  }

  return {
    /**
     * Counts that a visitor opened the page, or wrote within 30 minutes of opening it. Throws an AppError `not-found`
     * for a page that is not suggested, and `rate-limited`. Nothing about the visitor is stored.
     */
    async count(asked: string, what: 'opened' | 'asked', address: string): Promise<void> {
      await limits.take('suggestion', address)
      const path = asked.replace(/\?lang=[^#]*/, '')
      if ((await titleOf((await suggestedPages()).pages, path)) === null) {
        throw new AppError('not-found', "This page isn't suggested.")
      }
      const counts = { opened: what === 'opened' ? 1 : 0, asked: what === 'asked' ? 1 : 0 }
      await storage.suggestions.add(path, await dayIn(now()), counts)
      if (performance.now() - sweptAt < SWEEP_EVERY_MS) return
      sweptAt = performance.now()
      await storage.suggestions.removeBefore(await dayIn(now() - REPORT_DAYS_MAX * DAY_MS))
    },

    /** Returns what the suggestions answered. Throws an AppError `invalid-input` for a wrong range. */
    async answered(admin: AdminCaller, query: AnsweredQuery): Promise<Answered> {
      await limits.take('reports', admin.userId, ANSWERED_POINTS)
      const range = rangeOf(query, await zone())
      const [counts, entry, suggested] = await Promise.all([
        countsIn(range.from, range.to),
        pageEntry(),
        suggestedPages(),
      ])
      const pages = [...counts]
        // A message after midnight counts on the next day, so there may be more messages than opened pages.
        .map(([path, { opened, asked }]) => ({ path, opened, answered: Math.max(0, opened - asked) }))
        .filter(({ opened }) => opened > 0)
        .sort((a, b) => b.opened - a.opened || b.answered - a.answered)
        .slice(0, PAGES_MAX)
      return {
        ...{ from: range.from, to: range.to },
        pages: await Promise.all(
          pages.map(async ({ path, ...figures }) => ({
            path,
            title: await titleOf(suggested.pages, path),
            ...figures,
          })),
        ),
        questions: await questionsIn(
          boundsOf(range, undefined),
          entry?.missingWords(suggested.pages) ?? null,
        ),
      }
    },
  }
}

export type SuggestionUseCases = ReturnType<typeof createSuggestions>
