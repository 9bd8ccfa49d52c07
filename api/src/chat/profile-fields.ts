import type { ErrorDetail } from '@proctorpass/shared/errors'
import { type Field, lineProblem, tooLong } from '@proctorpass/shared/fields/text'
import { isTimeZone } from '@proctorpass/shared/hours'
import { parseIso } from '@proctorpass/shared/iso-time'
import {
  LOCALE_MAX,
  PAGE_PATH_MAX,
  PAGE_TITLE_MAX,
  REFERRER_MAX,
  TIME_ZONE_MAX,
} from '@proctorpass/shared/limits'
import type { PageView as ReportedView } from '@proctorpass/shared/schemas/inbox'
import { isOriginOf } from '@proctorpass/shared/site-origins'
import type { PageView } from '../storage/model/conversation/visitors.ts'

/** What visitors' browsers say about themselves. */
export const BROWSER_FIELDS = {
  locale: read('a language tag, such as en-US', LOCALE_MAX, localeOf),
  timeZone: read('an IANA time zone, such as Europe/Zurich', TIME_ZONE_MAX, (name) =>
    // As given: the canonical name may be an old one, such as Asia/Calcutta.
    isTimeZone(name) ? name : null,
  ),
  page: read('a path, such as /faq', PAGE_PATH_MAX, pathOf),
  referrer: read('an origin, such as https://example.com', REFERRER_MAX, originOf),
}

/** A field whose text `parse` reads; null when it is none. The length is of the value as it is stored. */
function read(what: string, max: number, parse: (text: string) => string | null): Field {
  return {
    clean: (text) => parse(text) ?? text,
    problem(text) {
      const value = parse(text)
      if (value === null) return `Use ${what}`
      return value.length > max ? tooLong(max) : null
    },
  }
}

function localeOf(tag: string): string | null {
  if (tag.length > LOCALE_MAX) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}

/** In the frame of a site: the path, or the origin of the site's page and the path. */
export function sitePage(origins: readonly string[]): Field {
  return read(
    'a path behind an origin of the website, such as https://example.com/faq',
    PAGE_PATH_MAX,
    (text) => {
      const { origin = '' } = URL.parse(text) ?? {}
      if (!isOriginOf(origins, origin) || !text.startsWith(`${origin}/`)) return pathOf(text)
      const path = pathOf(text.slice(origin.length))
      return path === null ? null : origin + path
    },
  )
}

/**
 * The pages that a browser says its visitor saw, or the problem with them. `page` judges the paths. A browser's clock
 * may be fast: a page is never later than `now`.
 */
export function pageViews(
  page: Field,
  seen: readonly ReportedView[],
  now: number,
): { views: PageView[]; problems: ErrorDetail[] } {
  const views: PageView[] = []
  for (const { path, title, at, seconds } of seen) {
    const time = parseIso(at)
    const line = title.trim()
    const problem =
      page.problem(path) ??
      lineProblem(line, PAGE_TITLE_MAX) ??
      (time === null ? 'Use times such as 2026-12-01T09:00:00Z' : null)
    if (problem !== null) return { views: [], problems: [{ field: 'pages', message: problem }] }
    views.push({ path: page.clean(path), title: line, at: Math.max(0, Math.min(time ?? now, now)), seconds })
  }
  return { views, problems: [] }
}

/** Without query and fragment. */
function pathOf(text: string): string | null {
  const [path = ''] = text.split(/[?#]/, 1)
  return /^\/(?![/\\])/.test(path) && lineProblem(path, PAGE_PATH_MAX) === null ? path : null
}

function originOf(text: string): string | null {
  const { protocol, origin, href } = URL.parse(text) ?? {}
  // Nothing but the origin, however it is written.
  return (protocol === 'https:' || protocol === 'http:') && href === `${origin}/` ? (origin ?? null) : null
}
