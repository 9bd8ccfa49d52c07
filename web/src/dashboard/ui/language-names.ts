const names = new Intl.DisplayNames('en', { type: 'language' })

/** Returns a language's English name, or its tag. */
export function englishName(tag: string): string {
  try {
    return names.of(tag) ?? tag
  } catch {
    // It is not a tag.
    return tag
  }
}
