/**
 * The beginning of a text, of at most `max` code points, with an ellipsis where it is cut. A cut falls between words, unless
 * the text has none there.
 */
export function preview(text: string, max: number): string {
  const characters = Array.from(text)
  if (characters.length <= max) return text
  const start = characters.slice(0, max).join('')
  const isWithinWord = /\S$/.test(start) && /^\S/.test(characters[max] ?? '')
  // A longer word than this is of a script without spaces.
  const cut = isWithinWord ? start.replace(/\s\S{1,30}$/, '') : start
  return `${cut.trimEnd()}…`
}
