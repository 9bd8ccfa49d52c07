import { foldText } from '@proctorpass/shared/fold'
import { termsToFind } from '@proctorpass/shared/tokenizer'
import type { SearchTerms } from '../storage/model/search.ts'
import { elementsOf, gramsToFind, INSIDE_FROM } from './elements.ts'
import { matchAll, type Part, type Range } from './match.ts'
import { partOf } from './query-parts.ts'

export interface Query {
  /** How many words and phrases the query has. A match takes time in proportion to this. */
  parts: number
  /** Some of the terms that every hit has. */
  terms: SearchTerms
  /** Returns where the words and phrases are in a text, as ranges in order. Null unless all of them are there. */
  match(text: string): Range[] | null
}

/** A query without words, which every text matches. */
export const EVERY_WORD: Query = { parts: 0, terms: { whole: [], beginning: [] }, match: () => [] }

interface Word {
  text: string
  isPhrase: boolean
  beginsWithNumber: boolean
  endsWithNumber: boolean
}

/** Matches a phrase between quotes, including the quotes that keyboards insert instead, or a word. */
const WORDS = /["“”„]([^"“”„]*)["“”„]|[^\s"“”„]+/gu
/** Matches the zero in "+49 (0)30 1234", without which texts are compared. */
const TRUNK_ZERO = /\(0\)\s*(?=\d)/g
/**
 * How many terms are looked up. The longest terms find the fewest texts, and more terms would cost more than they save.
 */
const TERMS_MAX = 12

/**
 * Parses a query. Every word must occur, the last one as the beginning of a word; a phrase must occur exactly. A quote
 * without its partner is a space. Numbers that follow each other are one number with spaces, or several. Returns null
 * if nothing can be found, because the query has no word, or only one without letters and digits that stands beside no
 * number.
 */
export function parseQuery(text: string): Query | null {
  const groups: Word[][] = []
  /** Whether a number follows the sign, as in "$ 1500". */
  let isNumberNext = false
  for (const { 0: word, 1: phrase } of foldText(text).replace(TRUNK_ZERO, ' ').matchAll(WORDS)) {
    if (phrase?.trim() === '') continue
    const next = wordOf(phrase ?? word, phrase !== undefined)
    const group = groups.at(-1)
    if (next === null) {
      isNumberNext ||= !group?.at(-1)?.endsWithNumber
      continue
    }
    if (isNumberNext && !next.beginsWithNumber) return null
    isNumberNext = false
    if (next.beginsWithNumber && group?.at(-1)?.endsWithNumber) group.push(next)
    else groups.push([next])
  }
  if (groups.length === 0 || isNumberNext) return null
  const parts = withoutRepeated(groups.flatMap((group) => partsOf(group, group === groups.at(-1))))
  return {
    parts: parts.reduce((sum, { separately }) => sum + 1 + separately.length, 0),
    terms: termsOfParts(parts),
    match: (original) => matchAll(parts, original),
  }
}

function wordOf(text: string, isPhrase: boolean): Word | null {
  const elements = elementsOf({ text })
  const isNumber = (index: number) => !isPhrase && elements.at(index)?.kind === 'number'
  return elements.length === 0
    ? null
    : { text, isPhrase, beginsWithNumber: isNumber(0), endsWithNumber: isNumber(-1) }
}

function partsOf(group: readonly Word[], isLast: boolean): Part[] {
  const separately = group.map(({ text, isPhrase }, index) =>
    partOf(text, isLast && !isPhrase && index === group.length - 1),
  )
  if (separately.length === 1) return separately
  const joined = partOf(group.map(({ text }) => text).join(' '), isLast)
  const isShort = joined.elements.some(({ kind, text }) => kind === 'number' && text.length < INSIDE_FROM)
  return isShort ? separately : [{ ...joined, separately: withoutRepeated(separately) }]
}

/** Returns each word and phrase once, because a repeated one changes nothing. */
function withoutRepeated(parts: readonly Part[]): Part[] {
  const nameOf = ({ elements, beginning, separately }: Part) =>
    JSON.stringify([
      beginning,
      separately.length,
      elements.flatMap(({ text, runs }) => [text, ...runs.map((run) => run.text)]),
    ])
  return [...new Map(parts.map((part) => [nameOf(part), part])).values()]
}

function termsOfParts(parts: readonly Part[]): SearchTerms {
  const whole = new Set<string>()
  const beginning = new Set<string>()
  for (const part of parts) {
    for (const terms of termsOfPart(part)) {
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

/**
 * Yields the part's terms. For numbers that may be one number, yields the terms of a text in which they stand together
 * and of one in which they do not.
 */
function* termsOfPart({ elements, beginning, exact, separately, zeros }: Part): Iterable<SearchTerms> {
  let left = zeros
  for (const part of separately) {
    const [first] = part.elements
    const digits = first?.runs.reduce((sum, { text }) => sum + text.length, 0) ?? 0
    if (left <= 0) yield* termsOfPart({ ...part, exact: false })
    else if (first && digits >= INSIDE_FROM) yield gramsToFind(first.text.replace(/^0+/, ''))
    left -= digits
  }
  if (separately.length > 0) return
  for (const element of elements) {
    const isLast = element === elements.at(-1)
    if (element.kind === 'number' && !exact) yield gramsToFind(element.text)
    else
      for (const run of element.runs)
        yield termsToFind(run, beginning && isLast && run === element.runs.at(-1))
  }
}
