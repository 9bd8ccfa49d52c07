/** A line of a mail. */
export interface Line {
  text: string
  /** Before the text, as `- ` of a list. */
  mark: Mark
  /** In how many quotes it stands. */
  depth: number
  /** Whether the mail program marked it as a quote or a signature. */
  isFolded: boolean
  /** What the mail program says of the lines from here on: the mail that is answered, or one that is passed on. */
  begins: 'original' | 'forward' | null
}

/** An object, because the first number of a reversed list is known at its end. */
export interface Mark {
  text: string
}

const NO_MARK: Mark = { text: '' }
const QUOTE_MARK = '> '
/** Deeper quotes look like these. */
const MARKS_MAX = 5

/** Makes lines of words as they come. White space between them is written only before the next word. */
export function createLineWriter() {
  const lines: Line[] = []
  let line: Line | null = null
  let gap: '' | ' ' | '\t' = ''
  /** Line ends before the next word. */
  let breaks = 0
  let mark = NO_MARK
  let begins: Line['begins'] = null
  let depth = 0
  let folded = 0

  function next(): Line {
    if (line !== null && breaks === 0) return line
    const last = lines.at(-1)
    // An empty line between two of the same quote belongs to it.
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
    /** The end of a line; two leave an empty one. */
    endLine(count: 1 | 2 = 1): void {
      breaks = Math.max(breaks, count)
    },
    /** As a `<br>`: again on an empty line, it leaves one empty. */
    breakLine(): void {
      breaks = Math.min(breaks + 1, 2)
    },
    /** Forgets line ends that no word follows yet. */
    stay(): void {
      if (line !== null) breaks = 0
    },
    /** Before the next word, if it is on the same line. */
    space(by: ' ' | '\t' = ' '): void {
      if (gap !== '\t') gap = by
    },
    write(words: string): void {
      const target = next()
      target.text += gap + words
      gap = ''
    },
    /** The mark of an item, before the next word. */
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
