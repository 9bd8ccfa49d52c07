import { foldText } from '@proctorpass/shared/fold'
import { termsToFind } from '@proctorpass/shared/tokenizer'
import type { SearchTerms } from '../storage/model/search.ts'
import { elementsOf, gramsToFind, INSIDE_FROM } from './elements.ts'
import { matchAll, type Part, type Range } from './match.ts'
import { partOf } from './query-parts.ts'

export interface Query {
  /** How many words and phrases are looked for: a match takes time in proportion to it. */
  parts: number
  /** Some of the terms that every hit has. */
  terms: SearchTerms
  /** Where the words and phrases are in a text, as ranges of it in order; null unless all of them are. */
  match(text: string): Range[] | null
}

interface Word {
  text: string
  isPhrase: boolean
  beginsWithNumber: boolean
  endsWithNumber: boolean
}

/** What phrases stand between: also the quotes that keyboards put in their place. */
const WORDS = /["“”„]([^"“”„]*)["“”„]|[^\s"“”„]+/gu
/** The zero of "+49 (0)30 1234", without which texts are compared. */
const TRUNK_ZERO = /\(0\)\s*(?=\d)/g
/** The longest terms find the fewest texts: more would cost more than they save. */
const TERMS_MAX = 12

/**
 * Every word must occur, the last one as the beginning of a word; a phrase exactly. A quote without its partner is a
 * space. Numbers that follow each other are one number with spaces, or several. Null when nothing can be found: no word,
 * or one without letters and digits that stands beside no number.
 */
export function parseQuery(text: string): Query | null {
  const groups: Word[][] = []
  /** Behind signs, as in "$ 1500". */
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

/** Each word and phrase once: a repeated one says nothing more. */
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

/** Of numbers that may be one: what a text has in which they stand together, and one in which they do not. */
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
