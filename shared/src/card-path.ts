/** Whether cards can have this path: printable ASCII from `/` or `*` on, as browsers write paths. */
export function isPathPattern(pattern: string): boolean {
  return /^[/*][^\s?#\\]*$/.test(pattern) && /^[!-~]*$/.test(pattern)
}

/** Whether a page's path matches, where `*` stands for any characters. A slash at the end makes no difference. */
export function matchesPath(pattern: string, path: string): boolean {
  const [start = '', ...others] = withoutEnd(pattern).split('*')
  const page = withoutEnd(path)
  const end = others.pop()
  if (end === undefined) return page === start
  if (!page.startsWith(start)) return false
  // The first place of each part: a search by places, since a pattern of many stars would be a slow expression.
  let from = start.length
  for (const part of others) {
    const at = page.indexOf(part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return page.length - end.length >= from && page.endsWith(end)
}

const withoutEnd = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)
