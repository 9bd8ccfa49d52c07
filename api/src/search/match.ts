import { type Folded, fold } from '@proctorpass/shared/fold'
import { type Element, elementsOf, GRAM_LENGTH } from './elements.ts'

export interface Range {
  start: number
  end: number
}

/** A query's word or phrase: elements that follow each other in a text. */
export interface Part {
  /** The elements. A number's text may lack zeros that its runs have. */
  elements: readonly Element[]
  /** Whether the last element is the beginning of a word. */
  beginning: boolean
  /** Whether the part is so short that its numbers must have the query's separators. */
  exact: boolean
  /** How many leading zeros the part's number lacks, as in numbers dialed inside a country. */
  zeros: number
  /** Whether the part's number lacks the zeros of cents at its end. */
  amount: boolean
  /** The same words one by one, for a text in which they do not follow each other. Empty for a single word. */
  separately: readonly Part[]
}

/** A number in a text. */
interface Digits {
  /** Where the number's runs begin and end, in digits. */
  bounds: ReadonlySet<number>
  /** Where each digit stands in the folded text, and where its run ends there. */
  places: readonly number[]
  ends: readonly number[]
}

/** A folded text with its elements, and the places of the words by their text. */
interface Searched {
  text: string
  elements: readonly Element[]
  places: ReadonlyMap<string, readonly number[]>
  /** The places of the numbers. */
  numbers: readonly number[]
  digitsOf(number: Element): Digits
}

export function matchAll(parts: readonly Part[], original: string): Range[] | null {
  const folded = fold(original)
  const searched = searchedOf(folded)
  const ranges: Range[] = []
  for (const part of parts) {
    const found = rangesOf(part, searched)
    if (found.length === 0) return null
    for (const range of found) ranges.push(range)
  }
  return merged(
    ranges.map(({ start, end }) => ({ start: folded.startOf(start), end: folded.endOf(end - 1) })),
  )
}

function searchedOf(folded: Folded): Searched {
  const elements = elementsOf(folded)
  // Without this map, each of many words would go through the whole text.
  const places = new Map<string, number[]>()
  for (const [index, { text }] of elements.entries()) {
    const known = places.get(text)
    if (known === undefined) places.set(text, [index])
    else known.push(index)
  }
  const numbers = [...elements.keys()].filter((index) => elements[index]?.kind === 'number')
  const known = new Map<Element, Digits>()
  const digitsOf = (number: Element) => {
    const digits = known.get(number) ?? placesOf(number)
    known.set(number, digits)
    return digits
  }
  return { text: folded.text, elements, places, numbers, digitsOf }
}

function placesOf({ runs }: Element): Digits {
  const bounds = new Set([0])
  const places: number[] = []
  const ends: number[] = []
  for (const { start, end } of runs) {
    for (let at = start; at < end; at++) {
      places.push(at)
      ends.push(end)
    }
    bounds.add(places.length)
  }
  return { bounds, places, ends }
}

/** Returns the part's ranges in the folded text. */
function rangesOf(part: Part, searched: Searched): Range[] {
  const { elements, beginning, separately } = part
  const [first] = elements
  if (first === undefined) return []
  const isSingle = elements.length === 1
  // Wherever the part's characters stand, they are in a run of such characters.
  if (isSingle && first.kind === 'unspaced') return inside(searched.text, first.text)
  const ranges: Range[] = []
  for (const from of placesToTry(first, beginning && isSingle, searched)) {
    if (isSingle && first.kind === 'number') ranges.push(...numbersIn(part, searched, from))
    else {
      const range = rangeFrom(part, searched, from)
      if (range !== null) ranges.push(range)
    }
  }
  if (ranges.length > 0) return ranges
  const each = separately.map((one) => rangesOf(one, searched))
  return each.some((found) => found.length === 0) ? [] : each.flat()
}

function placesToTry(
  { kind, text }: Element,
  beginning: boolean,
  { elements, places, numbers }: Searched,
): Iterable<number> {
  if (kind === 'number') return numbers
  return kind === 'word' && !beginning ? (places.get(text) ?? []) : elements.keys()
}

/** Yields every place where the characters stand. */
function inside(text: string, needle: string): Range[] {
  const ranges: Range[] = []
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length)) {
    ranges.push({ start: at, end: at + needle.length })
  }
  return ranges
}

/** Yields every place of a number inside a number in the text. */
function numbersIn(part: Part, searched: Searched, index: number): Range[] {
  const [[needle], found] = [part.elements, searched.elements[index]]
  if (needle === undefined || found?.kind !== 'number') return []
  const ranges: Range[] = []
  for (let at = found.text.indexOf(needle.text); at !== -1; at = found.text.indexOf(needle.text, at + 1)) {
    const range = numberAt(part, { needle, found, at }, searched)
    if (range !== null) ranges.push(range)
  }
  return ranges
}

/**
 * Returns the number's range if it may stand there: from where one of the text's runs begins (a long number anywhere),
 * to where one ends. A run whose beginning is found is marked as a whole, as a word is.
 */
function numberAt(
  { elements, beginning, exact, amount }: Part,
  { needle, found, at }: { needle: Element; found: Element; at: number },
  { digitsOf }: Searched,
): Range | null {
  const { bounds, places, ends } = digitsOf(found)
  const [isFirst, isLast] = [needle === elements[0], needle === elements.at(-1)]
  const end = at + needle.text.length
  if (isFirst ? !bounds.has(at) && needle.text.length < GRAM_LENGTH : at > 0) return null
  if (
    isLast
      ? !bounds.has(end) && !beginning && !(amount && isCents(found.text, bounds, end))
      : end < found.text.length
  ) {
    return null
  }
  if (exact && !hasSameBounds(digitsOf(needle).bounds, bounds, { at, end })) return null
  return { start: places[at] ?? 0, end: ends[end - 1] ?? 0 }
}

/** Whether only zeros stand between `from` and the run's end, at most the two of cents. */
function isCents(digits: string, bounds: ReadonlySet<number>, from: number): boolean {
  if (digits[from] !== '0') return false
  return bounds.has(from + 1) || (digits[from + 1] === '0' && bounds.has(from + 2))
}

function hasSameBounds(
  needle: ReadonlySet<number>,
  found: ReadonlySet<number>,
  { at, end }: { at: number; end: number },
): boolean {
  for (let inner = at + 1; inner < end; inner++) {
    if (needle.has(inner - at) !== found.has(inner)) return false
  }
  return true
}

function rangeFrom(part: Part, searched: Searched, from: number): Range | null {
  let start = 0
  let end = 0
  for (const [index, needle] of part.elements.entries()) {
    const found = searched.elements[from + index]
    if (found?.kind !== needle.kind) return null
    const range = rangeOf(part, needle, found, searched)
    if (range === null) return null
    if (index === 0) start = range.start
    end = range.end
  }
  return { start, end }
}

/** Returns the range to mark: whole words, and exactly the query's text if words have no ends. */
function rangeOf(part: Part, needle: Element, found: Element, searched: Searched): Range | null {
  const { elements, beginning } = part
  const [isFirst, isLast] = [needle === elements[0], needle === elements.at(-1)]
  const [{ start }, { end }] = [found.runs[0], found.runs.at(-1) ?? found.runs[0]]
  const length = needle.text.length
  if (needle.kind === 'number') {
    const at = isFirst ? found.text.length - length : 0
    if (at < 0 || !found.text.startsWith(needle.text, at)) return null
    return numberAt(part, { needle, found, at }, searched)
  }
  if (needle.kind === 'unspaced') {
    if (isFirst) return found.text.endsWith(needle.text) ? { start: end - length, end } : null
    if (isLast) return found.text.startsWith(needle.text) ? { start, end: start + length } : null
  }
  const isFound = isLast && beginning ? found.text.startsWith(needle.text) : found.text === needle.text
  return isFound ? { start, end } : null
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
