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

/** `value` when it is a path of this site, else null: `//evil`, `/\evil` and `javascript:` are not. */
export function ownPath(value: unknown): string | null {
  if (typeof value !== 'string' || !/^\/(?![/\\])/.test(value)) return null
  const url = URL.parse(value, 'http://own.invalid')
  return url?.host === 'own.invalid' && !url.pathname.startsWith('//') ? value : null
}
