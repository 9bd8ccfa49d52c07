import { type Folded, foldText } from './fold.ts'

/**
 * A run of letters and digits. Scripts without spaces between words are runs of their own: any part of such a run is
 * found.
 */
export interface Run {
  text: string
  unspaced: boolean
  /** In the folded text. */
  start: number
  end: number
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu
const PARTS = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]+|[^\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]+/gu
const UNSPACED = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u

/** Longer words are indexed by their beginning, in UTF-16 units. */
const TERM_MAX = 40

/** Those of texts and of queries: what both stores look up is made of them. */
export function runsIn({ text }: Pick<Folded, 'text'>): Run[] {
  const runs: Run[] = []
  for (const { 0: word, index } of text.matchAll(WORD)) {
    for (const { 0: part, index: inWord } of word.matchAll(PARTS)) {
      const start = index + inWord
      runs.push({ text: part, unspaced: UNSPACED.test(part), start, end: start + part.length })
    }
  }
  return runs
}

/** The terms under which texts are found, each once. */
export function termsOf(...texts: string[]): string[] {
  const terms = new Set<string>()
  for (const text of texts) {
    for (const run of runsIn({ text: foldText(text) })) {
      if (!run.unspaced) terms.add(cut(run.text))
      else for (const term of pairs(run.text)) terms.add(term)
    }
  }
  return [...terms]
}

/** Overlapping pairs, and the last character alone: each character of a run begins one of its terms. */
function* pairs(text: string): Iterable<string> {
  const characters = [...text]
  for (const [index, character] of characters.entries()) yield character + (characters[index + 1] ?? '')
}

/** The terms that every text with this run has. With `beginning`, the last word of the text only begins with it. */
export function termsToFind(
  { text, unspaced }: Run,
  beginning: boolean,
): { whole: string[]; beginning: string[] } {
  if (unspaced) {
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
