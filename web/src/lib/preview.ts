/**
 * Returns the beginning of a text, with at most `max` code points, and with an ellipsis if it is cut. A cut falls
 * between words, unless the text has no spaces there.
 */
export function preview(text: string, max: number): string {
  const characters = Array.from(text)
  if (characters.length <= max) return text
  const start = characters.slice(0, max).join('')
  const isWithinWord = /\S$/.test(start) && /^\S/.test(characters[max] ?? '')
  // A longer word belongs to a script without spaces.
  const cut = isWithinWord ? start.replace(/\s\S{1,30}$/, '') : start
  return `${cut.trimEnd()}…`
}
