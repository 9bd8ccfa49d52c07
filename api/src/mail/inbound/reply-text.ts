import { htmlLines } from './html-text.ts'
import { type Line, lineText } from './line-writer.ts'
import { attributionEnd, boundaryAt, isForwardLine, nextWords, seen } from './quote-lines.ts'
import { FORWARD_PREFIX, SIGNATURE } from './quote-words.ts'

/** A mail's text in both forms, and the subject, which helps to read it. */
export interface MailBody {
  /** The plain part; empty without one. */
  text: string
  html?: string | undefined
  subject?: string
}
export interface ReplyText {
  text: string
  quoted: string
}
interface ReadLine {
  text: string
  /** The text without quote marks and invisible characters. */
  words: string
  /** Whether the line is marked as a quote, or by HTML as a signature. */
  isMarked: boolean
  begins: Line['begins']
}
type Part = 'shown' | 'signature' | 'quote'
interface Split {
  parts: Part[]
  /** The line where the quote begins that fills the rest of the mail; null without one, or if words follow it. */
  tail: number | null
  hasQuote: boolean
}

/** A subject's prefixes, in any language. */
const PREFIXES = /^(?:[\p{L}\p{M}]{1,12}(?:\[\p{Nd}{1,3}\])?\s?[:：]\s*)+/u
/** Lines that may stand between a separator and its quote. */
const NEAR = 6
/** The longest line that can begin a signature, in characters. */
const SIGNATURE_MAX = 120
/** The number of letters on each side that identify where the quote begins. */
const SEAM = { before: 40, after: 12 }
const QUOTE_MARKS = /^(?: {0,3}[>＞])+/
const OPEN_LINK = /<(?:https?:|mailto:)[^\s<>]{1,1000}$/i

/**
 * Separates what a person wrote from what their mail program added: `quoted` has quotes and signatures. Nothing is
 * lost: a mail with nothing but quotes counts as text, and a forwarded mail counts as its sender's words.
 * @see docs/decisions/0097-quotes-by-structure.md
 */
export function replyText({ text, html, subject = '' }: MailBody): ReplyText {
  const plain = text.trim() === '' ? null : plainLines(text)
  const marked = html === undefined ? null : htmlLines(html)
  const rich = marked?.map(richLine) ?? []
  if (plain === null) return assembled(rich, split(rich, subject))
  const ofPlain = split(plain, subject)
  if (!rich.some(({ isMarked, begins }) => isMarked || begins !== null)) return assembled(plain, ofPlain)
  const ofRich = split(rich, subject)
  if (!ofRich.hasQuote) return assembled(plain, ofPlain)
  // HTML states where the quote begins; plain text only suggests it.
  const at = ofRich.tail === null ? null : seam(plain, rich, ofRich.tail)
  if (at !== null) return assembled(plain, split(plain, subject, at))
  return ofPlain.hasQuote ? assembled(plain, ofPlain) : assembled(rich, ofRich)
}

function plainLines(text: string): ReadLine[] {
  let isLinkOpen = false
  return text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => {
    // A link's address may be wrapped before its last bracket.
    const marks = isLinkOpen ? '' : (QUOTE_MARKS.exec(line)?.[0] ?? '')
    isLinkOpen = OPEN_LINK.test(line.slice(-1_000))
    return { text: line, words: seen(line.slice(marks.length)), isMarked: marks !== '', begins: null }
  })
}

function richLine(line: Line): ReadLine {
  const { text, depth, isFolded, begins } = line
  return { text: lineText(line), words: seen(text), isMarked: depth > 0 || isFolded, begins }
}

/** Decides for each line what it is. `original` is the line where HTML says that the quote begins. */
function split(lines: readonly ReadLine[], subject: string, original: number | null = null): Split {
  const words = lines.map((line) => line.words)
  const topic = subject.replace(PREFIXES, '').trim()
  const isForward = FORWARD_PREFIX.test(subject.trim())
  const parts: Part[] = lines.map(() => 'shown')
  const isQuoted = (index: number) => lines[index]?.isMarked ?? false
  let isSignature = false

  /** Returns where an unmarked quote begins, which fills the rest, or where the introduction of a marked quote ends. */
  function quoteAt(at: number): { from: number; end: number; kind: 'original' | 'forward' } | null {
    if (original !== null) return at === original ? { from: at, end: at, kind: 'original' } : null
    const begins = lines[at]?.begins ?? null
    if (begins !== null) return { from: at, end: at, kind: begins }
    const boundary = boundaryAt(words, at, topic)
    if (boundary !== null) return boundary
    if (isForwardLine(words[at] ?? '')) return { from: at, end: at, kind: 'forward' }
    // The introduction before marked lines is found together with those lines.
    if (isQuoted(nextWords(words, at + 1))) return null
    const count = attributionEnd(words.slice(Math.max(0, at - 3), at + 1), false)
    return count === 0 ? null : { from: at - count + 1, end: at + 1, kind: 'original' }
  }
  /** Returns the next marked line if only blank lines and a quote's introduction stand before it. */
  function markedNear(from: number): number | null {
    for (let at = from; at < from + NEAR && at < lines.length; at += 1) {
      if (!isQuoted(at)) continue
      const between = words.slice(from, at).filter((each) => each !== '')
      return attributionEnd(between, true) === between.length ? at : null
    }
    return null
  }
  function fold(from: number, to: number): void {
    parts.fill('quote', from, to)
    isSignature = false
  }

  for (let at = 0; at < lines.length; ) {
    if (isQuoted(at)) {
      const end = endOfMarked(lines, at)
      const first = words.slice(at, end).find((each) => each !== '') ?? ''
      if (original === null && isForwardLine(first)) break
      const before = lastWords(words, parts, at)
      const count = attributionEnd(words.slice(Math.max(0, before - 3), before + 1), true)
      fold(count === 0 ? at : before - count + 1, end)
      at = end
      continue
    }
    const found = quoteAt(at)
    if (found !== null) {
      if (isForward || found.kind === 'forward') break
      const near = original === null ? markedNear(found.end) : null
      fold(found.from, near ?? lines.length)
      at = near ?? lines.length
      continue
    }
    if (isSignatureLine(words[at] ?? '')) isSignature = true
    if (isSignature) parts[at] = 'signature'
    at += 1
  }
  const first = parts.indexOf('quote')
  const isTail = first >= 0 && parts.every((part, at) => at < first || part === 'quote' || words[at] === '')
  return { parts, tail: isTail ? first : null, hasQuote: first >= 0 }
}

function isSignatureLine(words: string): boolean {
  return words !== '' && words.length <= SIGNATURE_MAX && SIGNATURE.some((each) => each.test(words))
}

/** Returns the line after the marked lines that begin at `at`, including blank lines between them. */
function endOfMarked(lines: readonly ReadLine[], at: number): number {
  let end = at
  for (let index = at; index < lines.length; index += 1) {
    const line = lines[index] as ReadLine
    if (line.isMarked && (index === at || line.begins !== 'forward')) end = index + 1
    else if (line.words !== '' || line.begins !== null) break
  }
  return end
}

/** Returns the last line before `at` that has words and is shown; -1 if there is none. */
function lastWords(words: readonly string[], parts: readonly Part[], at: number): number {
  let last = at - 1
  while (last >= 0 && words[last] === '') last -= 1
  return last >= 0 && parts[last] !== 'quote' ? last : -1
}

/** Returns the plain part's line that begins the same quote as a line of the HTML part; null if it is not clear. */
function seam(plain: readonly ReadLine[], rich: readonly ReadLine[], tail: number): number | null {
  const lettersOf = (lines: readonly ReadLine[]) => lines.map(({ text }) => letters(text)).join('')
  const before = lettersOf(rich.slice(0, tail)).slice(-SEAM.before)
  const after = lettersOf(rich.slice(tail)).slice(0, SEAM.after)
  if (before === '' || after === '') return null
  const starts: number[] = []
  let length = 0
  for (const { text } of plain) {
    starts.push(length)
    length += letters(text).length
  }
  const found = lettersOf(plain).indexOf(before + after)
  const line = found < 0 ? -1 : starts.lastIndexOf(found + before.length)
  return line < 0 ? null : line
}

function letters(text: string): string {
  return text.replace(/\P{L}+/gu, '')
}

function assembled(lines: readonly ReadLine[], { parts }: Split): ReplyText {
  const textOf = (included: readonly Part[]) => tidy(lines, (at) => included.includes(parts[at] as Part))
  const text = textOf(['shown'])
  if (text !== '') return { text, quoted: textOf(['signature', 'quote']) }
  // If there are no other words, the closing is what the person wrote.
  const closing = textOf(['shown', 'signature'])
  if (closing !== '') return { text: closing, quoted: textOf(['quote']) }
  return { text: textOf(['quote']), quoted: '' }
}

/**
 * Joins the included lines without empty lines at the ends or in a row. An excluded line between two included ones
 * leaves an empty line.
 */
function tidy(lines: readonly ReadLine[], isIncluded: (at: number) => boolean): string {
  const tidied: string[] = []
  let isGap = false
  for (const [at, { text }] of lines.entries()) {
    const line = text.trimEnd()
    if (!isIncluded(at) || line === '') {
      isGap = true
      continue
    }
    if (isGap && tidied.length > 0) tidied.push('')
    tidied.push(line)
    isGap = false
  }
  return tidied.join('\n')
}
