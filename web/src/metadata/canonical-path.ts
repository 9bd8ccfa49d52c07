/** Returns a public path's canonical form, which is in lower case and has no trailing slash. */
export function canonicalPath(pathname: string): string {
  const lower = pathname.replace(/%[0-9a-f]{2}|[A-Z]/gi, (part) =>
    part[0] === '%' ? part : part.toLowerCase(),
  )
  const path = lower.replace(/(?<!\/)\/+$/, '') || '/'
  // `//evil/` would become a redirect to another site. It stays unchanged and is a 404.
  return ownPath(path) ?? pathname
}

export function isCanonical(pathname: string): boolean {
  return !/[A-Z]|\/$/.test(pathname) || canonicalPath(pathname) === pathname
}

/**
 * Returns `value` if it is a path on this site, and otherwise null. `//evil`, `/\evil`, and `javascript:` are not
 * paths.
 */
export function ownPath(value: unknown): string | null {
  if (typeof value !== 'string' || !/^\/(?![/\\])/.test(value)) return null
  const url = URL.parse(value, 'http://own.invalid')
  return url?.host === 'own.invalid' && !url.pathname.startsWith('//') ? value : null
}
