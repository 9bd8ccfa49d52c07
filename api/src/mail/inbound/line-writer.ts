/** One line of a mail's text. */
export interface Line {
  text: string
  /** The mark before the text, such as a list's `- `. */
  mark: Mark
  /** The number of quotes around the line. */
  depth: number
  /** Whether the mail program marked it as a quote or a signature. */
  isFolded: boolean
  /** What the mail program says begins at this line: the mail that is answered, or one that is forwarded. */
  begins: 'original' | 'forward' | null
}

/** Marks are objects because a reversed list's first number is known only at its end. */
export interface Mark {
  text: string
}

const NO_MARK: Mark = { text: '' }
const QUOTE_MARK = '> '
/** Deeper quotes look like quotes of this depth. */
const MARKS_MAX = 5

/** Builds lines from words as they arrive. White space between words is written only before the next word. */
export function createLineWriter() {
  const lines: Line[] = []
  let line: Line | null = null
  let gap: '' | ' ' | '\t' = ''
  /** The number of line ends before the next word. */
  let breaks = 0
  let mark = NO_MARK
  let begins: Line['begins'] = null
  let depth = 0
  let folded = 0

  function next(): Line {
    if (line !== null && breaks === 0) return line
    const last = lines.at(-1)
    // An empty line between two lines of the same quote belongs to the quote.
    const blank = last !== undefined && breaks > 1 ? newLine(Math.min(last.depth, depth)) : null
    if (blank !== null) {
      blank.isFolded = (last?.isFolded ?? false) && folded > 0
      lines.push(blank)
    }
    line = newLine(depth)
    line.mark = mark
    line.isFolded = folded > 0
    line.begins = begins
    lines.push(line)
    begins = null
    mark = NO_MARK
    gap = ''
    breaks = 0
    return line
  }

  return {
    lines,
    /** Ends the line; a count of 2 leaves an empty line. */
    endLine(count: 1 | 2 = 1): void {
      breaks = Math.max(breaks, count)
    },
    /** Breaks the line as `<br>` does: on an empty line, it leaves that line empty. */
    breakLine(): void {
      breaks = Math.min(breaks + 1, 2)
    },
    /** Forgets the line ends that no word has followed yet. */
    stay(): void {
      if (line !== null) breaks = 0
    },
    /** Writes a space before the next word if that word is on the same line. */
    space(by: ' ' | '\t' = ' '): void {
      if (gap !== '\t') gap = by
    },
    write(words: string): void {
      const target = next()
      target.text += gap + words
      gap = ''
    },
    /** Writes a list item's mark before the next word. */
    item(itemMark: Mark): void {
      breaks = Math.max(breaks, 1)
      mark = itemMark
    },
    begin(what: Line['begins']): void {
      breaks = Math.max(breaks, 1)
      begins ??= what
    },
    quote(by: 1 | -1): void {
      depth += by
    },
    fold(by: 1 | -1): void {
      breaks = Math.max(breaks, 1)
      folded += by
    },
  }
}

function newLine(depth: number): Line {
  return { text: '', mark: NO_MARK, depth, isFolded: false, begins: null }
}

export function lineText({ text, mark, depth }: Line): string {
  const quote = QUOTE_MARK.repeat(Math.min(depth, MARKS_MAX))
  return `${quote}${mark.text}${text}`.replaceAll('\u00a0', ' ').trimEnd()
}
