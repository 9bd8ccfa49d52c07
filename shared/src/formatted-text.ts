import { hrefOf, linkify, NEVER } from './linkify.ts'

/** A line's part: a text, or what its marks or its address make of it. */
export type Inline =
  | string
  | { kind: 'bold'; children: Inline[] }
  | { kind: 'italic'; children: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'link'; href: string; children: Inline[] }

/** Lines that follow each other, or a list. `first` is a numbered list's first number, and null for bullets. */
export type Block =
  | { kind: 'text'; lines: Inline[][] }
  | { kind: 'list'; first: number | null; items: Inline[][] }

/**
 * Reads `**bold**`, `_italic_`, `` `code` ``, `[words](address)`, web and email addresses, and lists whose lines begin
 * with `- ` or `1. `. Marks belong together within one line; all others are text. The work grows with the text's length
 * alone, and elements nest at most six deep.
 */
export function parseFormatted(text: string): Block[] {
  const blocks: Block[] = []
  for (const line of text.split('\n')) {
    const item = /^(?:-|(\d{1,3})\.) +(?=\S)/.exec(line)
    const last = blocks.at(-1)
    if (item === null) {
      const children = parseLine(line)
      if (last?.kind === 'text') last.lines.push(children)
      else blocks.push({ kind: 'text', lines: [children] })
      continue
    }
    const children = parseLine(line.slice(item[0].length))
    const number = item[1] === undefined ? null : Number(item[1])
    if (last?.kind === 'list' && isNext(last, number)) last.items.push(children)
    else blocks.push({ kind: 'list', first: number, items: [children] })
  }
  return blocks
}

/** A list keeps each number that was typed, so any other number begins a list. */
function isNext(
  { first, items }: { first: number | null; items: unknown[] },
  number: number | null,
): boolean {
  return first === null ? number === null : number === first + items.length
}

/** Returns the text without its marks, for places that show its beginning in one line. */
export function withoutMarks(text: string): string {
  return parseFormatted(text)
    .flatMap((block) => (block.kind === 'text' ? block.lines : block.items))
    .map(textOf)
    .join('\n')
}

function textOf(parts: readonly Inline[]): string {
  return parts
    .map((part) =>
      typeof part === 'string' ? part : part.kind === 'code' ? part.text : textOf(part.children),
    )
    .join('')
}

/** A mark that is text until its other one is found. */
interface Mark {
  kind: 'bold' | 'italic'
  mark: string
  role: 'text' | 'begin' | 'end'
}
interface Found {
  end: number
  part: Inline
}

/** Reads one line. Within a link's words, no address is linked. */
function parseLine(line: string, isInLink = false): Inline[] {
  const pieces: (Inline | Mark)[] = []
  const addresses = isInLink ? [] : addressesIn(line)
  const codeAt = codeReader(line)
  const linkAt = linkReader(line)
  /** At most one mark of each kind, in their order. */
  const open: Mark[] = []
  let from = 0
  let at = 0
  const add = (piece: Inline | Mark, end: number) => {
    if (at > from) pieces.push(line.slice(from, at))
    pieces.push(piece)
    from = at = end
  }
  let next = 0
  while (at < line.length) {
    while ((addresses[next]?.from ?? at) < at) next += 1
    const address = addresses[next]
    if (address?.from === at) {
      add({ kind: 'link', href: address.href, children: [line.slice(at, address.end)] }, address.end)
      continue
    }
    const char = line.charAt(at)
    const found = char === '`' ? codeAt(at) : char === '[' && !isInLink ? linkAt(at) : null
    if (found !== null) {
      add(found.part, found.end)
      continue
    }
    const end = char === '*' || char === '_' || char === '`' ? runEnd(line, at) : at + 1
    if (char === '*' ? end - at === 2 : char === '_' && end - at === 1) {
      const mark: Mark = { kind: char === '*' ? 'bold' : 'italic', mark: line.slice(at, end), role: 'text' }
      pair(mark, sidesOf(line, at, end), open)
      add(mark, end)
    } else at = end
  }
  if (at > from) pieces.push(line.slice(from))
  return treeOf(pieces)
}

/** Pairs a mark with the open one of its kind. Marks that are open between the two stay text. */
function pair(mark: Mark, { canBegin, canEnd }: ReturnType<typeof sidesOf>, open: Mark[]): void {
  const other = open.findIndex(({ kind }) => kind === mark.kind)
  if (canEnd && other >= 0) {
    const [begun] = open.splice(other)
    if (begun) begun.role = 'begin'
    mark.role = 'end'
  } else if (canBegin) {
    if (other >= 0) open.splice(other, 1)
    open.push(mark)
  }
}

/** Whether what stands beside a mark lets it begin or end something. An underscore inside a word does neither. */
function sidesOf(line: string, at: number, end: number): { canBegin: boolean; canEnd: boolean } {
  const before = characterBefore(line, at)
  const after = String.fromCodePoint(line.codePointAt(end) ?? 32)
  const isUnderscore = end - at === 1
  return {
    canBegin: /\S/.test(after) && !(isUnderscore && WORD.test(before)),
    canEnd: /\S/.test(before) && !(isUnderscore && WORD.test(after)),
  }
}

const WORD = /[\p{L}\p{N}\p{M}]/u

function characterBefore(line: string, at: number): string {
  const two = line.slice(Math.max(0, at - 2), at)
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(two) ? two : two.slice(-1)
}

function treeOf(pieces: readonly (Inline | Mark)[]): Inline[] {
  const root: Inline[] = []
  const open = [root]
  for (const piece of pieces) {
    const parts = open.at(-1) ?? root
    if (typeof piece === 'string' || !('mark' in piece)) addPart(parts, piece)
    else if (piece.role === 'text') addPart(parts, piece.mark)
    else if (piece.role === 'end') open.pop()
    else {
      const children: Inline[] = []
      parts.push({ kind: piece.kind, children })
      open.push(children)
    }
  }
  return root
}

function addPart(parts: Inline[], part: Inline): void {
  const last = parts.at(-1)
  if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
  else parts.push(part)
}

/** Returns the addresses that are linked as they are. Their own stars and underscores are no marks. */
function addressesIn(line: string): { from: number; end: number; href: string }[] {
  const found = []
  let from = 0
  for (const part of linkify(line)) {
    const text = typeof part === 'string' ? part : part.text
    const end = from + text.length
    if (typeof part !== 'string') {
      // In _sam@visitor.example_ both underscores are marks, though an address may begin with one.
      const [inner] = text.startsWith('_') && line[end] === '_' ? linkify(text.slice(1)) : []
      if (typeof inner === 'object' && inner.text.length === text.length - 1)
        found.push({ from: from + 1, end, href: inner.href })
      else found.push({ from, end, href: part.href })
    }
    from = end
  }
  return found
}

/** Reads code between two single backticks. A place where none follows is remembered, so no search is repeated. */
function codeReader(line: string) {
  let isOver = false
  return (at: number): Found | null => {
    if (isOver || runEnd(line, at) > at + 1) return null
    for (let close = line.indexOf('`', at + 1); close >= 0; ) {
      const end = runEnd(line, close)
      if (end === close + 1) return { end, part: { kind: 'code', text: line.slice(at + 1, close) } }
      close = line.indexOf('`', end)
    }
    isOver = true
    return null
  }
}

/** Reads `[words](address)`. It remembers the next bracket that closes, so no search is repeated. */
function linkReader(line: string) {
  let close = 0
  let lastOpen = 0
  return (at: number): Found | null => {
    if (close >= 0 && close <= at) {
      close = line.indexOf(']', at)
      lastOpen = close < 0 ? 0 : line.lastIndexOf('[', close)
    }
    if (close < 0 || lastOpen !== at || line[close + 1] !== '(') return null
    const words = line.slice(at + 1, close)
    const end = addressEnd(line, close + 2)
    const href = end < 0 || words.trim() === '' ? null : safeHref(line.slice(close + 2, end))
    // Words that are another address would mislead.
    const isHonest = linkify(words).every((part) => typeof part === 'string' || part.href === href)
    if (href === null || !isHonest) return null
    return { end: end + 1, part: { kind: 'link', href, children: parseLine(words, true) } }
  }
}

/**
 * Returns the position of the bracket that closes the address; -1 if there is none before a space or before another
 * link's address, so no part of the line is searched twice.
 */
function addressEnd(line: string, from: number): number {
  let depth = 0
  for (let at = from; at < line.length; at += 1) {
    const char = line[at]
    if (char === ' ' || char === '\t' || (char === ']' && line[at + 1] === '(')) return -1
    if (char === '(') depth += 1
    else if (char === ')') {
      if (depth === 0) return at
      depth -= 1
    }
  }
  return -1
}

/** Returns the end of the same character's repetition. */
function runEnd(line: string, at: number): number {
  let end = at + 1
  while (end < line.length && line[end] === line[at]) end += 1
  return end
}

/** Returns a link's address in full; null unless a text that is an address as a whole may be linked. */
function safeHref(address: string): string | null {
  for (const char of address) if (NEVER.test(char.normalize('NFKC'))) return null
  return hrefOf(address)
}
