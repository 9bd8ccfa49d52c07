import { FORWARDED, FROM, ORIGINAL, SUBJECT, WROTE } from './quote-words.ts'

/** Characters that are examined of each line. */
const LOOK_MAX = 500
/** Lines over which the line before a quote may be wrapped. */
const WRAPPED_MAX = 4
/** Lines that a block of headers may have, wrapped lines included. */
const HEADERS_MAX = 16

/** Direction marks around addresses in Arabic and Hebrew, and other invisible characters. */
const UNSEEN = /[\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g
const ADDRESS = /[^\s<>@"():;,[\]]{1,64}@[^\s<>@"():;,[\]]{1,100}/u
const IN_BRACKETS = /[<[(](?:mailto:)?[^\s<>@]{1,64}@[^\s<>@]{1,100}[>\])]/iu
/** A star and a space may follow the address. */
const ENDS_WITH_ADDRESS = /@[^\s<>@]{1,100}[>\])]\*?\s?[:：]$/u
const NUMBERS = /\p{Nd}{1,4}/gu
const HEADER = /^[\s*_|]{0,4}([\p{L}\p{M}][\p{L}\p{M}'’. -]{0,29}?)[\s*_]{0,3}[:：][\s*_]{0,3}(.*)$/u
const RULE = /^[-_=*─━—–]{5,}$/u
const RULE_START = /^[-_=*─━—–]{3,}/u
const RULE_CHARACTERS = '-_=*─━—–'
const RULED_MAX = 200
/** Gmail's separator before a forwarded mail, which looks the same in every language. */
const GMAIL_FORWARD = /^-{10} [^-].{1,80}? -{9}$/u
/** The prefix that an answer's or a forwarded mail's subject has, in any language. */
const SUBJECT_PREFIX = /^[\p{L}\p{M}]{1,12}(?:\[\p{Nd}{1,3}\])?\s?[:：]/u

/** What introduces the mail that is answered, or one that is forwarded. `end` is the first line after it. */
export interface Boundary {
  kind: 'original' | 'forward'
  from: number
  end: number
}

/** Returns the text without invisible marks, and without white space at its ends. */
export function seen(text: string): string {
  return text.slice(0, LOOK_MAX).replace(UNSEEN, '').replaceAll('\u00a0', ' ').trim()
}

/**
 * Returns how many of the last lines form the line before a quote, such as "On DATE, NAME <ADDRESS> wrote:", or 0 if
 * they form none. Without `isQuoteNext` the lines must leave less doubt, because no quote marks follow them.
 */
export function attributionEnd(before: readonly string[], isQuoteNext: boolean): number {
  if (!isQuoteNext && !/[-=_*:：]$/u.test(before.at(-1) ?? '')) return 0
  const paragraph: string[] = []
  for (const line of before.toReversed()) {
    if (line === '' || paragraph.length === WRAPPED_MAX) break
    paragraph.unshift(line)
  }
  let weak = { count: 0, numbers: -1 }
  for (let count = 1; count <= paragraph.length; count += 1) {
    const words = paragraph.slice(-count).join(' ').replaceAll('< ', '<')
    if (words.length > LOOK_MAX) break
    const strength = attributionStrength(words, isQuoteNext, count === paragraph.length)
    // These words contain a complete date and time.
    if (strength === 2) return count
    const numbers = countOfNumbers(words)
    if (strength === 1 && numbers > weak.numbers) weak = { count, numbers }
  }
  return weak.count
}

/**
 * Returns 0 if the words are not the line before a quote, 1 if they may be only its end, and 2 if they are complete.
 */
function attributionStrength(words: string, isQuoteNext: boolean, isWhole: boolean): 0 | 1 | 2 {
  const numbers = countOfNumbers(words.replace(IN_BRACKETS, ''))
  const hasColon = /[:：][-\s]*$/u.test(words)
  const isRuled = ruledWords(words) !== null && numbers >= 4
  const hasAddress = ADDRESS.test(words)
  const hasVerb = WROTE.test(words)
  const isDated = numbers >= 4
  if (!isQuoteNext) {
    if (!hasColon && !isRuled) return 0
    const isNamed = IN_BRACKETS.test(words) || (hasVerb && isWhole)
    return isNamed && isDated ? 2 : 0
  }
  if (!hasColon) return (hasAddress && isDated) || isRuled ? 2 : 0
  if (isDated && (hasAddress || hasVerb || (isWhole && words.length <= 200))) return 2
  if (numbers >= 2 && (hasAddress || hasVerb)) return 1
  return hasVerb || ENDS_WITH_ADDRESS.test(words) ? 1 : 0
}

function countOfNumbers(words: string): number {
  return words.match(NUMBERS)?.length ?? 0
}

/** Whether a forwarded mail follows this line, which the visitor wants to show. */
export function isForwardLine(line: string): boolean {
  if (GMAIL_FORWARD.test(line)) return true
  if (line.length > 120 || !FORWARDED.test(line)) return false
  return ruledWords(line) !== null || /[:：]$/u.test(line)
}

/** Returns the words of a line such as `----- Original Message -----`; null for any other line. */
function ruledWords(line: string): string | null {
  const start = RULE_START.exec(line)?.[0].length ?? 0
  const closed = line.replace(/ ?[:：]$/u, '')
  let end = closed.length
  while (end > start && RULE_CHARACTERS.includes(closed[end - 1] ?? '')) end -= 1
  const words = closed.slice(start, end).trim()
  return start > 0 && closed.length - end >= 3 && words !== '' && words.length <= RULED_MAX ? words : null
}

/**
 * Finds what begins at a line: the headers of the mail that is answered, or a separator before it. `subject` is the
 * mail's subject without prefixes.
 */
export function boundaryAt(lines: readonly string[], at: number, subject: string): Boundary | null {
  const line = lines[at] ?? ''
  const ruled = ruledWords(line)
  if (ruled === null && !RULE.test(line)) {
    // This header belongs to a block that was read from its first line.
    return HEADER.test(lines[at - 1] ?? '') ? null : headersAt(lines, at, subject, false)
  }
  if (ruled !== null && isForwardLine(line)) return { kind: 'forward', from: at, end: at + 1 }
  const next = nextWords(lines, at + 1)
  const headers = headersAt(lines, next, subject, true)
  if (headers !== null) return { ...headers, from: at }
  if (ruled === null || !/\p{L}/u.test(ruled)) return null
  const isNamed = ORIGINAL.test(ruled) || (countOfNumbers(ruled) >= 4 && ADDRESS.test(ruled))
  return isNamed ? { kind: 'original', from: at, end: at + 1 } : null
}

/** Returns the first line with words, skipping at most three empty lines. */
export function nextWords(lines: readonly string[], from: number): number {
  let at = from
  while (at < from + 3 && lines[at] === '') at += 1
  return at
}

/** Finds at least three headers in a row, or two after a separator, in any language. */
function headersAt(
  lines: readonly string[],
  at: number,
  subject: string,
  isSeparated: boolean,
): Boundary | null {
  const names: string[] = []
  const values: string[] = []
  const places: number[] = []
  let end = at
  let skipped = 0
  for (let index = at; index < Math.min(lines.length, at + HEADERS_MAX); index += 1) {
    const line = lines[index] ?? ''
    const header = HEADER.exec(line)
    if (header !== null && !line.includes('://', 0)) {
      names.push((header[1] ?? '').trim())
      values.push(header[2] ?? '')
      places.push(index)
      end = index + 1
      skipped = 0
      continue
    }
    // Long address lists are wrapped, but no other line stands between two headers.
    skipped += 1
    if (names.length === 0 || line === '' || skipped > 2) break
  }
  if (names.length < (isSeparated ? 2 : 3)) return null
  const addresses = values.filter((value) => ADDRESS.test(value))
  const isDated = values.some((value) => countOfNumbers(value.replace(IN_BRACKETS, '')) >= 4)
  const hasFrom = names.some((name) => FROM.test(name))
  const hasSubject =
    names.some((name) => SUBJECT.test(name)) ||
    values.some((value) => SUBJECT_PREFIX.test(value) || (subject.length > 2 && value.endsWith(subject)))
  const hasBrackets = values.some((value) => IN_BRACKETS.test(value))
  const isKnown = hasFrom && hasSubject && (isDated || addresses.length > 0)
  const isLike =
    isDated &&
    (addresses.length > 1 ? hasBrackets || hasSubject || hasFrom : addresses.length === 1 && hasSubject)
  const isNamed = isDated && hasSubject && names.length > 3
  const isBehindRule = isSeparated && (hasFrom || addresses.length > 0) && (isDated || hasSubject)
  if (!isKnown && !isLike && !isNamed && !isBehindRule) return null
  return { kind: 'original', from: places[firstHeader(names, values)] ?? at, end }
}

/** Finds the first real header, because the visitor's own lines may stand right before the headers in the same form. */
function firstHeader(names: readonly string[], values: readonly string[]): number {
  let first = Math.max(
    0,
    names.findIndex((name) => FROM.test(name)),
  )
  const isPart = (at: number) =>
    SUBJECT.test(names[at] ?? '') || countOfNumbers(values[at] ?? '') >= 4 || ADDRESS.test(values[at] ?? '')
  while (first > 0 && isPart(first - 1)) first -= 1
  return first
}
