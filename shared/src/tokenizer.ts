import { type Folded, foldText } from './fold.ts'

/**
 * A run of letters, or of digits. Scripts whose words have no spaces between them, or are written with particles as in
 * Korean, form separate runs: any part of such a run is found.
 */
export interface Run {
  text: string
  kind: 'word' | 'number' | 'unspaced'
  /** Offsets in the folded text. */
  start: number
  end: number
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
const PARTS =
  /[0-9]+|[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tale}\p{scx=Talu}\p{scx=Lana}\p{scx=Tavt}]+|[^0-9\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tale}\p{scx=Talu}\p{scx=Lana}\p{scx=Tavt}]+/gu
const UNSPACED =
  /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tale}\p{scx=Talu}\p{scx=Lana}\p{scx=Tavt}]/u

/** Longer words are indexed by their beginning. Counts UTF-16 units. */
const TERM_MAX = 40

/** Returns the runs in a text or a query. Both stores look up terms that are made from them. */
export function runsIn({ text }: Pick<Folded, 'text'>): Run[] {
  const runs: Run[] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    for (const { 0: part, index: inWord } of word.matchAll(PARTS)) {
      const start = index + inWord
      runs.push({ text: part, kind: kindOf(part), start, end: start + part.length })
    }
  }
  return runs
}

function kindOf(part: string): Run['kind'] {
  if (UNSPACED.test(part)) return 'unspaced'
  return /^[0-9]/.test(part) ? 'number' : 'word'
}

/** Returns the terms under which a text is found, each once. */
export function termsOf(text: string): string[] {
  return termsOfRuns(runsIn({ text: foldText(text) }))
}

export function termsOfRuns(runs: readonly Run[]): string[] {
  const terms = new Set<string>()
  for (const { kind, text } of runs) {
    if (kind !== 'unspaced') terms.add(cut(text))
    else for (const term of pairs(text)) terms.add(term)
  }
  return [...terms]
}

/**
 * Yields overlapping pairs, and the last character alone, so that each of a run's characters begins one of its terms.
 */
function* pairs(text: string): Iterable<string> {
  const characters = [...text]
  for (const [index, character] of characters.entries()) yield character + (characters[index + 1] ?? '')
}

/**
 * Returns the terms that every text with this run has. With `beginning`, the query's last word need only begin a word
 * in the text.
 */
export function termsToFind(
  { text, kind }: Run,
  beginning: boolean,
): { whole: string[]; beginning: string[] } {
  if (kind === 'unspaced') {
    const characters = [...text]
    if (characters.length === 1) return { whole: [], beginning: [text] }
    return { whole: characters.slice(1).map((next, index) => characters[index] + next), beginning: [] }
  }
  const term = cut(text)
  return beginning && term === text ? { whole: [], beginning: [term] } : { whole: [term], beginning: [] }
}

function cut(word: string): string {
  if (word.length <= TERM_MAX) return word
  const term = word.slice(0, TERM_MAX)
  return term.isWellFormed() ? term : term.slice(0, -1)
}
