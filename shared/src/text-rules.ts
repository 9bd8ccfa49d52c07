/** Why this cannot stand in one line, such as a title or a name; null when it can. */
export function lineProblem(text: string, max: number): string | null {
  if (isLonger(text, max)) return tooLong(max)
  // A change of direction would go on in what stands beside the line.
  if (/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(text) || !text.isWellFormed()) {
    return 'This is one line, without control characters.'
  }
  return null
}

/** Why this cannot be kept as a text of several lines; null when it can. */
export function textProblem(text: string, max: number): string | null {
  if (isLonger(text, max)) return tooLong(max)
  if (text.includes('\0') || !text.isWellFormed()) {
    return 'This text holds characters that cannot be sent. Please type it again.'
  }
  return null
}

/** Whether a text has more code points than allowed, which are counted only where units do not settle it. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max)
}

function tooLong(max: number): string {
  return `At most ${max.toLocaleString('en')} characters can be sent.`
}
