/** Whether cards can have this path: printable ASCII that begins with `/` or `*`, as browsers write paths. */
export function isPathPattern(pattern: string): boolean {
  return /^[/*][^\s?#\\]*$/.test(pattern) && /^[!-~]*$/.test(pattern)
}

/**
 * Whether a page's path matches the pattern, in which `*` stands for any characters. A slash at the end makes no
 * difference.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const [start = '', ...others] = withoutEnd(pattern).split('*')
  const page = withoutEnd(path)
  const end = others.pop()
  if (end === undefined) return page === start
  if (!page.startsWith(start)) return false
  // Each part is searched for from where the previous one ended, because a pattern with many stars would be a slow
  // regular expression.
  let from = start.length
  for (const part of others) {
    const at = page.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return page.length - end.length >= from && page.endsWith(end)
}

const withoutEnd = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)
