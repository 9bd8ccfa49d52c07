import { fold } from '@proctorpass/shared/fold'
import { type Run, runsIn, termsToFind } from '@proctorpass/shared/tokenizer'
import type { SearchTerms } from '../storage/port/search.ts'

/** A word or a phrase of a query: runs that follow each other in a text. */
interface Part {
  runs: Run[]
  /** The last run is the beginning of a word. */
  beginning: boolean
}

export interface Query {
  /** How many words and phrases are looked for: a match takes time in proportion to it. */
  parts: number
  /** Some of the terms that every hit has. */
  terms: SearchTerms
  /** Where the words and phrases are in a text, as ranges of it in order; null unless all of them are. */
  match(text: string): Range[] | null
}

export interface Range {
  start: number
  end: number
}

/** What phrases stand between: also the quotes that keyboards put in their place. */
const PARTS = /["“”„＂]([^"“”„＂]*)["“”„＂]|[^\s"“”„＂]+/gu
/** The longest terms find the fewest texts: more would cost more than they save. */
const TERMS_MAX = 12

/**
 * Every word must occur, the last one as the beginning of a word; a phrase exactly. A quote without its partner is a
 * space. Null when nothing can be found: no word, or one without letters and digits.
 */
export function parseQuery(text: string): Query | null {
  const found: Part[] = []
  for (const { 0: word, 1: phrase } of text.matchAll(PARTS)) {
    if (phrase?.trim() === '') continue
    const runs = runsIn(fold(phrase ?? word))
    if (runs.length === 0) return null
    found.push({ runs, beginning: phrase === undefined })
  }
  const last = found.at(-1)
  if (last === undefined) return null
  for (const part of found) part.beginning &&= part === last
  const parts = withoutRepeated(found)
  return { parts: parts.length, terms: termsOfParts(parts), match: (original) => matchAll(parts, original) }
}

/** Each word and phrase once: a repeated one says nothing more. */
function withoutRepeated(parts: readonly Part[]): Part[] {
  const nameOf = ({ runs, beginning }: Part) => JSON.stringify([beginning, ...runs.map(({ text }) => text)])
  return [...new Map(parts.map((part) => [nameOf(part), part])).values()]
}

function termsOfParts(parts: readonly Part[]): SearchTerms {
  const whole = new Set<string>()
  const beginning = new Set<string>()
  for (const part of parts) {
    for (const run of part.runs) {
      const terms = termsToFind(run, part.beginning && run === part.runs.at(-1))
      for (const term of terms.whole) whole.add(term)
      for (const term of terms.beginning) beginning.add(term)
    }
  }
  const longest = (terms: Iterable<string>, max: number) =>
    [...terms].sort((a, b) => b.length - a.length).slice(0, max)
  const chosen = longest(whole, TERMS_MAX)
  const rest = [...beginning].filter((start) => !chosen.some((term) => term.startsWith(start)))
  return { whole: chosen, beginning: longest(rest, TERMS_MAX - chosen.length) }
}

/** A folded text with its runs, and the places of those with the same text. */
interface Searched {
  text: string
  runs: readonly Run[]
  places: ReadonlyMap<string, readonly number[]>
}

function matchAll(parts: readonly Part[], original: string): Range[] | null {
  const folded = fold(original)
  const runs = runsIn(folded)
  // So that many words do not each go through the whole text.
  const places = new Map<string, number[]>()
  for (const [index, { text }] of runs.entries()) {
    const known = places.get(text)
    if (known === undefined) places.set(text, [index])
    else known.push(index)
  }
  const ranges: Range[] = []
  for (const part of parts) {
    const found = rangesOf(part, { text: folded.text, runs, places })
    if (found.length === 0) return null
    ranges.push(...found)
  }
  return merged(
    ranges.map(({ start, end }) => ({ start: folded.startOf(start), end: folded.endOf(end - 1) })),
  )
}

/** In the folded text. */
function rangesOf({ runs: wanted, beginning }: Part, { text, runs, places }: Searched): Range[] {
  const [first] = wanted
  if (first === undefined) return []
  // Wherever its characters stand, they are in a run of such characters.
  if (wanted.length === 1 && first.unspaced) return inside(text, first.text)
  const ranges: Range[] = []
  const isWhole = !first.unspaced && !(beginning && wanted.length === 1)
  for (const from of isWhole ? (places.get(first.text) ?? []) : runs.keys()) {
    const fits = wanted.every((want, index) =>
      isAt(want, runs[from + index], {
        isFirst: index === 0,
        isLast: index === wanted.length - 1,
        beginning,
      }),
    )
    if (fits) ranges.push(rangeOf(wanted, runs[from] as Run, runs[from + wanted.length - 1] as Run))
  }
  return ranges
}

/** Every place of some characters. */
function inside(text: string, wanted: string): Range[] {
  const ranges: Range[] = []
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    ranges.push({ start: at, end: at + wanted.length })
  }
  return ranges
}

function isAt(
  want: Run,
  run: Run | undefined,
  { isFirst, isLast, beginning }: { isFirst: boolean; isLast: boolean; beginning: boolean },
): boolean {
  if (run === undefined || want.unspaced !== run.unspaced) return false
  if (want.unspaced && isFirst) return run.text.endsWith(want.text)
  if (isLast && (want.unspaced || beginning)) return run.text.startsWith(want.text)
  return run.text === want.text
}

/** Whole words are marked, and exactly the query's text where words have no ends. */
function rangeOf(wanted: readonly Run[], from: Run, to: Run): Range {
  const [first, last] = [wanted[0] as Run, wanted.at(-1) as Run]
  return {
    start: first.unspaced ? from.end - first.text.length : from.start,
    end: last.unspaced ? to.start + last.text.length : to.end,
  }
}

function merged(ranges: Range[]): Range[] {
  const result: Range[] = []
  for (const range of ranges.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1)
    if (last !== undefined && range.start <= last.end) last.end = Math.max(last.end, range.end)
    else result.push({ ...range })
  }
  return result
}
