import { ARTICLE_SLUGS } from '@proctorpass/shared/limits'
import type { ServerEntry } from '@proctorpass/shared/ssr'
import { matchPath, type RouteObject } from 'react-router'
import { isCanonical } from './metadata/canonical-path.ts'
import { isText } from './metadata/text-at.ts'
import { isDashboardPath, routes } from './routes.tsx'

/** Paged lists, for which `?page=` is part of the key. */
const PAGED = new Set(['/blogs', '/reviews'])

/** The key for every address that matches no route. It matches no route itself. */
export const notFoundKey: ServerEntry['notFoundKey'] = '/404'

/** The pages that may exist in other languages than English. */
const TRANSLATED = new Set([
  '/',
  '/faq',
  '/privacy',
  '/terms',
  ...ARTICLE_SLUGS.map((slug) => `/blog/${slug}`),
])

const POST_PATH = '/blog/:slug'

/** No post has this path, because slugs have no digits. */
export const missingPostKey: ServerEntry['missingPostKey'] = '/blog/404'

const pathsOf = ({ path, children = [] }: RouteObject): string[] => [
  ...(path === undefined || path === '*' ? [] : [path]),
  ...children.flatMap(pathsOf),
]
const routePaths = new Set(routes.flatMap(pathsOf))
const patterns = [...routePaths].filter((path) => path.includes(':'))

/** @see docs/decisions/0010-pages-in-memory.md: why not the router's `matchRoutes`. */
function isKnownPath(pathname: string): boolean {
  if (routePaths.has(pathname) || isText(pathname)) return true
  let path: string
  try {
    path = pathname.split('/').map(decodedSegment).join('/').toLowerCase()
  } catch {
    // The router would log a warning for each malformed address.
    return false
  }
  return routePaths.has(path) || patterns.some((pattern) => matchPath(pattern, path) !== null)
}

const decodedSegment = (segment: string) => decodeURIComponent(segment).replaceAll('/', '%2F')

export const pageKey: ServerEntry['pageKey'] = (url, languages = []) => {
  const { pathname, search, searchParams } = new URL(url)
  if (isDashboardPath(pathname)) return '/dashboard'
  // The redirect keeps the whole query.
  if (!isCanonical(pathname)) return pathname + search
  if (!isKnownPath(pathname)) return notFoundKey
  const lang = TRANSLATED.has(pathname) ? searchParams.get('lang') : null
  if (lang !== null && lang !== 'en' && languages.includes(lang)) return `${pathname}?lang=${lang}`
  const page = PAGED.has(pathname) ? searchParams.get('page') : null
  return page === null || page === '1' ? pathname : `${pathname}?page=${encodeURIComponent(page)}`
}

export const postSlug: ServerEntry['postSlug'] = (url) => {
  const { pathname } = new URL(url)
  if (routePaths.has(pathname) || !isCanonical(pathname) || !isKnownPath(pathname)) return null
  const slug = matchPath(POST_PATH, pathname)?.params.slug
  return slug === undefined ? null : decodeURIComponent(slug)
}
