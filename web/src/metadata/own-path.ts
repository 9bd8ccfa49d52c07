/** `value` when it is a path of this site, else null: `//evil`, `/\evil` and `javascript:` are not. */
export function ownPath(value: unknown): string | null {
  if (typeof value !== 'string' || !/^\/(?![/\\])/.test(value)) return null
  const url = URL.parse(value, 'http://own.invalid')
  return url?.host === 'own.invalid' && !url.pathname.startsWith('//') ? value : null
}
