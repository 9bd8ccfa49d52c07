/** The rules of one field of a form, the same for the server and the browser. */
export interface Field<T = string> {
  /** The value as it is judged and stored. */
  clean(value: T): T
  /** The error of a value, worded for the person who typed it; null when it is valid. */
  problem(value: T): string | null
}

/**
 * A character that shows something. A mark alone shows nothing to read, and the last ones of the list are blank though
 * Unicode calls them symbols and letters.
 */
const SHOWN =
  /[^\p{Z}\p{Cc}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{13430}-\u{1343f}\u{13441}\u{13442}\u{1d159}]/u

/** A required text. `problem` judges it once it is cleaned and known not to be empty. */
export function textField(
  required: string,
  problem: (text: string) => string | null,
  clean = trimmed,
): Field {
  return {
    clean,
    problem(text) {
      const cleaned = clean(text)
      return cleaned === '' ? required : problem(cleaned)
    },
  }
}

/** Removes the white space around the text. A text of invisible characters alone becomes empty, because it would show nothing. */
export function trimmed(text: string): string {
  return SHOWN.test(text) ? text.trim() : ''
}

/**
 * Removes the empty lines around the text. The first line keeps its indentation, which code needs, but a single line loses
 * the lone space that a phone's keyboard leaves before it.
 */
export function withoutEmptyEnds(text: string): string {
  if (!SHOWN.test(text)) return ''
  const kept = text.trimEnd().replace(/^\s*[\n\r\u2028\u2029]/, '')
  return /^ \S/.test(kept) && !/[\n\r\u2028\u2029]/.test(kept) ? kept.slice(1) : kept
}

/** Cleans a text of several lines that may hold code. */
export function indentedLines(text: string): string {
  return withoutEmptyEnds(text).replaceAll('\r\n', '\n')
}

/** Cleans a text of several lines. */
export function trimmedLines(text: string): string {
  return trimmed(text).replaceAll('\r\n', '\n')
}

/** Why a text cannot be one line, such as a title or a name; null when it can. `max` in code points. */
export function lineProblem(text: string, max: number): string | null {
  if (isLonger(text, max)) return tooLong(max)
  // An override of the direction would also turn the text beside the line.
  if (/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text) || !text.isWellFormed()) {
    return 'Use one line, without control characters'
  }
  return null
}

/** Why a text of several lines cannot be stored; null when it can. `max` in code points. */
export function textProblem(text: string, max: number): string | null {
  if (isLonger(text, max)) return tooLong(max)
  return isStorable(text) ? null : "This text contains characters that can't be saved. Type it again."
}

export function tooLong(max: number): string {
  return `${max.toLocaleString('en')} characters or fewer`
}

/** Whether a text has more code points than `max`; they are counted only where its length does not settle it. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}

/** Both stores and UTF-8 can hold the text: no NUL, no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
