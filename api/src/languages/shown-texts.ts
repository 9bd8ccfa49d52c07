/** Returns the texts in English and in those languages. */
export function shownTexts<Texts extends object>(texts: Texts, tags: readonly string[]): Texts {
  const shown = Object.entries(texts).filter(([tag]) => tag === 'en' || tags.includes(tag))
  return Object.fromEntries(shown) as Texts
}
