import { type Field, lineProblem, tooLong } from '@proctorpass/shared/fields/text'
import { isTimeZone } from '@proctorpass/shared/hours'
import { LOCALE_MAX, PAGE_PATH_MAX, REFERRER_MAX, TIME_ZONE_MAX } from '@proctorpass/shared/limits'
import { isOriginOf } from '@proctorpass/shared/site-origins'

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
