/**
 * Returns the tag that suits a locale best: the locale itself, else the longest tag with which it begins, else another
 * variant of its language. `tags` are in order, so that a longer tag follows the ones with which it begins.
 */
export function chooseLanguage(locale: string, tags: readonly string[]): string | undefined {
  const [base] = locale.split('-')
  return (
    tags.findLast((tag) => `${locale}-`.startsWith(`${tag}-`)) ??
    tags.find((tag) => tag.startsWith(`${base}-`))
  )
}
