import diff from 'fast-diff'

/** Words that both texts have, that only the earlier one has, or that only the later one has. */
export interface Change {
  kind: 'same' | 'del' | 'ins'
  text: string
}

/** A paragraph with changes, or null for paragraphs in between that are the same. */
export type ChangedLine = readonly Change[] | null

const KINDS = { '-1': 'del', '0': 'same', '1': 'ins' } as const

/** Texts with more words than this are compared paragraph by paragraph, which is faster. */
const WORDS_MAX = 20_000

/** Compares two texts word by word. */
export function compareWords(before: string, after: string): Change[] {
  const [from, to] = [wordsOf(before), wordsOf(after)]
  if (from.length > WORDS_MAX || to.length > WORDS_MAX) return compare(linesOf(before), linesOf(after))
  return compare(from, to)
}

/** Compares two texts, and leaves out the paragraphs that are the same. */
export function compareLines(before: string, after: string): ChangedLine[] {
  const lines: Change[][] = [[]]
  for (const { kind, text } of compareWords(before, after)) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ kind, text: part })
    }
  }
  const changed: ChangedLine[] = []
  for (const line of lines) {
    if (line.some(({ kind }) => kind !== 'same')) changed.push(line)
    else if (line.length > 0 && changed.at(-1) !== null) changed.push(null)
  }
  return changed
}

/** The library compares characters, so each different word becomes one character. */
function compare(before: readonly string[], after: readonly string[]): Change[] {
  const words: string[] = []
  const characters = new Map<string, string>()
  const encode = (text: readonly string[]) =>
    text
      .map((word) => {
        const known = characters.get(word)
        if (known !== undefined) return known
        const character = String.fromCharCode(codeOf(words.length))
        words.push(word)
        characters.set(word, character)
        return character
      })
      .join('')
  const [from, to] = [encode(before), encode(after)]
  const decode = (text: string) =>
    Array.from({ length: text.length }, (_, at) => words[indexOf(text.charCodeAt(at))]).join('')
  return diff(from, to, undefined, true).map(([kind, text]) => ({ kind: KINDS[kind], text: decode(text) }))
}

const SURROGATES = { from: 0xd800, count: 0x800 }

/** Skips the codes of which the library takes two for one character. */
function codeOf(index: number): number {
  return index < SURROGATES.from ? index : index + SURROGATES.count
}

function indexOf(code: number): number {
  return code < SURROGATES.from ? code : code - SURROGATES.count
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Also splits texts whose language has no spaces. */
function wordsOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment)
}

function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/)
}
