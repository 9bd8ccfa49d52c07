import { POST_INDENT_MAX, videoAddress } from '@proctorpass/shared/post-format'
import { htmlToParse } from '../../../lib/trusted-html.ts'
import { isJoined, type Line } from './lines.ts'
import { allow, classFormats, type Formats, lineOf, NotShown } from './read-inline.ts'
import { readTable } from './read-table.ts'

/** One part of a post, exactly as it is stored, and the lines with which the editor shows it. */
export interface Unit {
  html: string
  lines: Line[]
  /** The part's number. */
  part: number
}

const VOID = new Set(['img', 'br'])
const INLINE = new Set('a b br code del em i img s span strike strong sub sup u'.split(' '))

/**
 * Splits a stored post into parts, whose HTML makes up the whole post. If the editor would change or lose a part, the
 * part is shown as one block, so that it stays unchanged.
 *
 * @param mustKeep returns whether to keep a part as a block although it could be shown, by its number
 */
export function readPost(html: string, mustKeep: (index: number) => boolean = () => false): Unit[] {
  const units: Unit[] = []
  for (const [part, { html: own, isBlock }] of partsOf(html).entries()) {
    const unit: Unit = { html: own, lines: mustKeep(part) ? kept(own) : readPart(own, isBlock), part }
    const before = units.at(-1)
    if (before && isJoined([...before.lines, ...unit.lines.slice(0, 1)], before.lines.length)) {
      // The editor would merge the two lists into one.
      before.html += own
      before.lines = kept(before.html)
    } else units.push(unit)
  }
  return units
}

function kept(html: string): Line[] {
  return [[{ insert: { kept: html } }]]
}

function readPart(html: string, isBlock: boolean): Line[] {
  const nodes = contentOf(new DOMParser().parseFromString(htmlToParse(html), 'text/html').body)
  const [first] = nodes
  try {
    if (!isBlock) return [lineOf(nodes, {})]
    if (nodes.length !== 1 || !(first instanceof Element)) throw new NotShown()
    const lines = readBlock(first)
    if (lines.length === 0) throw new NotShown()
    return lines
  } catch (error) {
    if (error instanceof NotShown || error instanceof RangeError) return kept(html)
    throw error
  }
}

interface Part {
  html: string
  /** Whether it is one element that is not part of a line. */
  isBlock: boolean
}

/** Splits HTML between its top-level elements. White space belongs to the previous part. */
function partsOf(html: string): Part[] {
  const parts = partsOfBalanced(html)
  if (parts !== null) return parts
  const { body } = new DOMParser().parseFromString(htmlToParse(html), 'text/html')
  return partsOfBalanced(body.innerHTML) ?? [{ html, isBlock: true }]
}

/** Returns null if an element does not end, or ends twice. */
function partsOfBalanced(html: string): Part[] | null {
  const parts: Part[] = []
  const open: string[] = []
  let start = 0
  const end = (at: number, isBlock: boolean) => {
    const text = html.slice(start, at)
    const before = parts.at(-1)
    if (!isBlock && isSpace(text) && before) before.html += text
    else if (text !== '') parts.push({ html: text, isBlock })
    start = at
  }
  for (const { 0: tag, 1: slash, 2: name = '', index } of html.matchAll(
    /<(\/?)([a-z][a-z0-9]*)(?:[^a-z0-9<>][^<>]*)?>/g,
  )) {
    if (VOID.has(name)) continue
    if (slash === '') {
      if (open.length === 0 && !INLINE.has(name)) end(index, false)
      open.push(name)
    } else {
      if (open.pop() !== name) return null
      if (open.length === 0 && !INLINE.has(name)) end(index + tag.length, true)
    }
  }
  if (open.length > 0) return null
  end(html.length, false)
  return parts
}

/** Returns whether a page shows this text between blocks as nothing. */
function isSpace(text: string): boolean {
  return /^[ \t\n\f\r]*$/.test(text)
}

/** Returns an element's children without the white space between blocks. */
function contentOf(element: Element): ChildNode[] {
  const nodes = [...element.childNodes]
  const isBetweenBlocks = nodes.some((node) => node instanceof Element && !INLINE.has(node.localName))
  return nodes.filter((node) => !isBetweenBlocks || !(node instanceof Text) || !isSpace(node.data))
}

function readBlock(element: Element): Line[] {
  const { localName } = element
  const reader = BLOCKS[localName]
  if (!reader) throw new NotShown()
  return reader(element)
}

const paragraph = (formats: Formats) => (element: Element) => {
  allow(element, 'class')
  return [lineOf(contentOf(element), { ...formats, ...classFormats(element) })]
}

const BLOCKS: Record<string, (element: Element) => Line[]> = {
  p: paragraph({}),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((header) => [`h${header}`, paragraph({ header })])),
  blockquote(element) {
    const inside = contentOf(element)
    if (!inside.some((node) => node instanceof Element && node.localName === 'p')) {
      return paragraph({ blockquote: true })(element)
    }
    allow(element)
    return inside.flatMap((node) => {
      if (!(node instanceof Element) || node.localName !== 'p') throw new NotShown()
      return paragraph({ blockquote: true })(node)
    })
  },
  div(element) {
    if (element.classList.contains('ql-code-block-container')) return readEditorCode(element)
    const inside = contentOf(element)
    const hasBlocks = inside.some((node) => node instanceof Element && !INLINE.has(node.localName))
    if (!hasBlocks) return paragraph({})(element)
    allow(element)
    return readPost(element.innerHTML).flatMap(({ lines }) => lines)
  },
  pre(element) {
    allow(element, 'spellcheck', 'class')
    if (element.className !== '' && element.className !== 'ql-syntax') throw new NotShown()
    const [only, ...others] = element.childNodes
    const isCode = only instanceof Element && only.localName === 'code' && others.length === 0
    if (isCode) allow(only)
    const holder = isCode ? only : element
    if (holder.childElementCount > 0) throw new NotShown()
    return codeLines((element.textContent ?? '').replace(/\n$/, '').split('\n'))
  },
  ol: (element) => readList(element, 0),
  ul: (element) => readList(element, 0),
  table: readTable,
  iframe(element) {
    const src = element.getAttribute('src') ?? ''
    if (videoAddress(src) !== src) throw new NotShown()
    const align = /^ql-video(?: ql-align-([a-z]+))?$/.exec(element.className)?.[1]
    if (element.className !== 'ql-video' && align === undefined) throw new NotShown()
    return [[{ insert: { video: src }, ...(align !== undefined && { attributes: { align } }) }]]
  },
}

function codeLines(texts: string[]): Line[] {
  return texts.map((text) => [
    ...(text === '' ? [] : [{ insert: text }]),
    { insert: '\n', attributes: { 'code-block': 'plain' } },
  ])
}

/** Reads code as it is in Quill's document. */
function readEditorCode(container: Element): Line[] {
  const lines = contentOf(container)
  return codeLines(
    lines.map((line) => {
      const isLine = line instanceof Element && line.className === 'ql-code-block'
      if (!isLine || line.hasAttribute('data-language') || line.childElementCount > 0) throw new NotShown()
      return line.textContent ?? ''
    }),
  )
}

function readList(list: Element, depth: number): Line[] {
  allow(list)
  return contentOf(list).flatMap((item) => {
    if (!(item instanceof Element) || item.localName !== 'li') throw new NotShown()
    allow(item, 'class', 'data-list')
    const nodes = contentOf(item)
    const inner = nodes.findIndex((node) => node instanceof Element && /^[ou]l$/.test(node.localName))
    const own = inner < 0 ? nodes : nodes.slice(0, inner)
    const [only, ...others] = own
    const isParagraph = only instanceof Element && only.localName === 'p' && others.length === 0
    if (isParagraph) allow(only)
    const kind = item.getAttribute('data-list') ?? (list.localName === 'ol' ? 'ordered' : 'bullet')
    const { indent: more = 0, ...formats } = classFormats(item)
    const indent = depth + Number(more)
    if (indent > POST_INDENT_MAX) throw new NotShown()
    const line = lineOf(isParagraph ? [...only.childNodes] : own, {
      ...formats,
      list: kind,
      ...(indent > 0 && { indent }),
    })
    const below = (inner < 0 ? [] : nodes.slice(inner)).flatMap((node) => {
      if (!(node instanceof Element) || !/^[ou]l$/.test(node.localName)) throw new NotShown()
      return readList(node, depth + 1)
    })
    return [line, ...below]
  })
}
