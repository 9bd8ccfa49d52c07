import { ownPath } from './own-path.ts'

/** The canonical form of a public path: lower case, no trailing slash. */
export function canonicalPath(pathname: string): string {
  const lower = pathname.replace(/%[0-9a-f]{2}|[A-Z]/gi, (part) =>
    part[0] === '%' ? part : part.toLowerCase(),
  )
  const path = lower.replace(/(?<!\/)\/+$/, '') || '/'
  // `//evil/` would become a redirect to another site: unchanged, it is a 404.
  return ownPath(path) ?? pathname
}

export function isCanonical(pathname: string): boolean {
  return !/[A-Z]|\/$/.test(pathname) || canonicalPath(pathname) === pathname
}
