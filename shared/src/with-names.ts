export interface Names {
  brand: string
  supportEmail: string
}

/** Replaces `{brand}` and `{supportEmail}` in all strings below `value`. The fields `html` get them escaped. */
export function withNames<T>(value: T, names: Names, isHtml = false): T {
  if (typeof value === 'string') {
    const name = (text: string) => (isHtml ? escaped(text) : text)
    return value
      .replaceAll('{brand}', () => name(names.brand))
      .replaceAll('{supportEmail}', () => name(names.supportEmail)) as T
  }
  if (Array.isArray(value)) return value.map((each) => withNames(each, names, isHtml)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, withNames(each, names, field === 'html')]),
  ) as T
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
