/** The rules for one field in a form, which the server and the browser share. */
export interface Field<T = string> {
  /** Returns the value as it is judged and stored. */
  clean(value: T): T
  /** Returns the error for a value, worded for the person who typed it. Null if the value is valid. */
  problem(value: T): string | null
}

/**
 * Matches a character that shows something. A mark alone shows nothing to read, and the list's last characters are
 * blank, although Unicode calls them symbols and letters.
 */
const SHOWN =
  /[^\p{Z}\p{Cc}\p{Mn}\p{Me}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb\u{13430}-\u{1343f}\u{13441}\u{13442}\u{1d159}]/u

/** Creates a field for a required text. `problem` judges the text once it is cleaned and known not to be empty. */
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

/** Cleans a text with several lines that may hold code. */
export function indentedLines(text: string): string {
  return withoutEmptyEnds(text).replaceAll('\r\n', '\n')
}

/** Cleans a text with several lines. */
export function trimmedLines(text: string): string {
  return trimmed(text).replaceAll('\r\n', '\n')
}

/** Explains why a text cannot be one line, such as a title or a name. Null if it can. `max` counts code points. */
export function lineProblem(text: string, max: number): string | null {
  if (isLonger(text, max)) return tooLong(max)
  // A direction override would also reorder the text beside the line.
  if (/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text) || !text.isWellFormed()) {
    return 'Use one line, without control characters'
  }
  return null
}

/** Explains why a text with several lines cannot be stored. Null if it can. `max` counts code points. */
export function textProblem(text: string, max: number): string | null {
  if (isLonger(text, max)) return tooLong(max)
  return isStorable(text) ? null : "This text contains characters that can't be saved. Type it again."
}

export function tooLong(max: number): string {
  return `Use ${max.toLocaleString('en')} characters or fewer`
}

/** Whether a text has more code points than `max`. They are counted only if the text's length does not settle it. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}

/** Whether both stores and UTF-8 can hold the text: it has no NUL and no lone surrogate. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
