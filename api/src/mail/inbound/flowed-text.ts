/**
 * Joins the lines of `format=flowed` text as RFC 3676 says: a line that ends with a space goes on in the next line of
 * the same quote. `postal-mime` also joins lines of different quotes, which makes an answer a part of the question
 * above it.
 */
export function flowedText(text: string, deletesSpace: boolean): string {
  const lines: string[] = []
  /** The pieces of the line that goes on, and its quote marks; null if no line goes on. */
  let open: { marks: string; pieces: string[] } | null = null

  function end(): void {
    if (open === null) return
    const words = open.pieces.join('')
    lines.push(open.marks === '' ? words : `${open.marks} ${words}`)
    open = null
  }

  for (const line of text.split(/\r?\n/)) {
    const marks = /^>*/.exec(line)?.[0] ?? ''
    const stuffed = line.slice(marks.length)
    const words = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed
    const isSignature = words === '-- '
    if (open !== null && (open.marks !== marks || isSignature)) end()
    open ??= { marks, pieces: [] }
    const goesOn = words.endsWith(' ') && !isSignature
    open.pieces.push(goesOn && deletesSpace ? words.slice(0, -1) : words)
    if (!goesOn) end()
  }
  end()
  return lines.join('\n')
}
