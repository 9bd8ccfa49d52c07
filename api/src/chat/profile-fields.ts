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
import { PREVIEW_PAGE } from '@proctorpass/shared/preview-path'
import type { PageView as ReportedView } from '@proctorpass/shared/schemas/inbox'
import { isOriginOf } from '@proctorpass/shared/site-origins'
import type { PageView } from '../storage/model/conversation/visitors.ts'

/** The fields that visitors' browsers report about themselves. */
export const BROWSER_FIELDS = {
  locale: read('a language tag, such as en-US', LOCALE_MAX, localeOf),
  timeZone: read('an IANA time zone, such as Europe/Zurich', TIME_ZONE_MAX, (name) =>
    // The name is kept as it was given, because the canonical name may be an old one, such as Asia/Calcutta.
    isTimeZone(name) ? name : null,
  ),
  page: read('a path, such as /faq', PAGE_PATH_MAX, pathOf),
  referrer: read('an origin, such as https://example.com', REFERRER_MAX, originOf),
}

/**
 * Makes a field whose text `parse` reads; `parse` returns null for an invalid text. The limit applies to the value as
 * it is stored.
 */
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

/** Makes the page field for a site's frame: a path, or an origin of the site's pages with a path. */
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
 * Reads the pages that a browser says its visitor saw, or returns the problem with them. `page` checks the paths. A
 * browser's clock may be fast, so no page is later than `now`.
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

/** Returns the path without query, fragment, and the token of a post's preview; null if it is invalid. */
function pathOf(text: string): string | null {
  const [whole = ''] = text.split(/[?#]/, 1)
  const path = whole.toLowerCase().startsWith(PREVIEW_PAGE) ? PREVIEW_PAGE : whole
  return /^\/(?![/\\])/.test(path) && lineProblem(path, PAGE_PATH_MAX) === null ? path : null
}

function originOf(text: string): string | null {
  const { protocol, origin, href } = URL.parse(text) ?? {}
  // Accepts only the origin itself, in any spelling.
  return (protocol === 'https:' || protocol === 'http:') && href === `${origin}/` ? (origin ?? null) : null
}
