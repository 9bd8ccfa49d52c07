import { ownPath } from './own-path.ts'

/** The one spelling of a public path: in lower case and without a slash at the end. */
export function canonicalPath(pathname: string): string {
  const lower = pathname.replace(/%[0-9a-f]{2}|[A-Z]/gi, (part) =>
    part[0] === '%' ? part : part.toLowerCase(),
  )
  const path = lower.replace(/(?<!\/)\/+$/, '') || '/'
  // `//evil/` would lead to another site: it stays what it is, a page that is not there.
  return ownPath(path) ?? pathname
}

export function isCanonical(pathname: string): boolean {
  return !/[A-Z]|\/$/.test(pathname) || canonicalPath(pathname) === pathname
}
